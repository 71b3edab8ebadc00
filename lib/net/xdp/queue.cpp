// One AF_XDP socket: the frames of one receive queue, in memory that the kernel shares.
#include "net/xdp/queue.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include <cerrno>
#include <utility>

namespace wiremark::net::xdp {

namespace {

constexpr std::uint32_t kFrames = Ring<xdp_desc>::kSize;
constexpr std::uint64_t kFrameMask = Queue::kFrame - 1;

template <class T>
Result<Ring<T>> map_ring(const Fd& socket, const xdp_ring_offset& at, std::uint64_t where) {
  const std::size_t size = at.desc + Ring<T>::kSize * sizeof(T);
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                             socket.get(), static_cast<off_t>(where));
  if (start == MAP_FAILED) return refused("mmap AF_XDP ring", errno);
  return Ring<T>(Mapping(start, size), at);
}

Result<> set(const Fd& socket, int option, const void* value, socklen_t size, const char* name) {
  if (::setsockopt(socket.get(), SOL_XDP, option, value, size) != 0) return refused(name, errno);
  return {};
}

Result<> reserve(const Fd& socket, const Mapping& frames) {
  xdp_umem_reg area{};
  area.addr = reinterpret_cast<std::uintptr_t>(frames.data());
  area.len = kFrames * Queue::kFrame;
  area.chunk_size = Queue::kFrame;
  auto done = set(socket, XDP_UMEM_REG, &area, sizeof area, "XDP_UMEM_REG");
  for (const auto& [option, name] : {std::pair(XDP_UMEM_FILL_RING, "XDP_UMEM_FILL_RING"),
                                     {XDP_UMEM_COMPLETION_RING, "XDP_UMEM_COMPLETION_RING"},
                                     {XDP_RX_RING, "XDP_RX_RING"},
                                     {XDP_TX_RING, "XDP_TX_RING"}}) {
    if (done) done = set(socket, option, &kFrames, sizeof kFrames, name);
  }
  return done;
}

Result<> bind_to(const Fd& socket, unsigned interface, unsigned queue, bool generic) {
  sockaddr_xdp name{};
  name.sxdp_family = AF_XDP;
  name.sxdp_ifindex = interface;
  name.sxdp_queue_id = queue;
  // Without XDP_COPY the kernel takes zero-copy where the driver has it.
  name.sxdp_flags = static_cast<std::uint16_t>(XDP_USE_NEED_WAKEUP | (generic ? XDP_COPY : 0));
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int tries = 1;; ++tries) {
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return {};
    if (errno != EBUSY || tries == kTries)
      return refused("bind AF_XDP queue " + std::to_string(queue), errno);
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace

Mapping::~Mapping() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

Result<Queue> Queue::open(unsigned interface, unsigned queue, bool generic, bool asks) {
  Queue made;
  made.asks_ = asks;
  made.socket_ = Fd(::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!made.socket_) return refused("socket AF_XDP", errno);
  void* const start = ::mmap(nullptr, kFrames * kFrame, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (start == MAP_FAILED) return refused("mmap", errno);
  made.frames_ = Mapping(start, kFrames * kFrame);
  if (auto done = reserve(made.socket_, made.frames_); !done) return std::unexpected(done.error());
  xdp_mmap_offsets at{};
  socklen_t size = sizeof at;
  if (::getsockopt(made.socket_.get(), SOL_XDP, XDP_MMAP_OFFSETS, &at, &size) != 0)
    return refused("XDP_MMAP_OFFSETS", errno);
  auto fill = map_ring<std::uint64_t>(made.socket_, at.fr, XDP_UMEM_PGOFF_FILL_RING);
  auto completed = map_ring<std::uint64_t>(made.socket_, at.cr, XDP_UMEM_PGOFF_COMPLETION_RING);
  auto receive = map_ring<xdp_desc>(made.socket_, at.rx, XDP_PGOFF_RX_RING);
  auto send = map_ring<xdp_desc>(made.socket_, at.tx, XDP_PGOFF_TX_RING);
  if (!fill) return std::unexpected(fill.error());
  if (!completed) return std::unexpected(completed.error());
  if (!receive) return std::unexpected(receive.error());
  if (!send) return std::unexpected(send.error());
  made.fill_ = std::move(*fill);
  made.completed_ = std::move(*completed);
  made.receive_ = std::move(*receive);
  made.send_ = std::move(*send);
  const std::uint64_t kept = asks ? kFrames / 2 : 0;
  made.spare_.reserve(kept);
  for (std::uint64_t i = 0; i < kept; ++i) made.spare_.push_back(i * kFrame);
  for (std::uint64_t i = kept; i < kFrames; ++i) made.fill_.put(i * kFrame);
  made.fill_.submit();
  if (auto bound = bind_to(made.socket_, interface, queue, generic); !bound)
    return std::unexpected(bound.error());
  xdp_options active{};
  size = sizeof active;
  if (::getsockopt(made.socket_.get(), SOL_XDP, XDP_OPTIONS, &active, &size) == 0)
    made.zero_copy_ = active.flags & XDP_OPTIONS_ZEROCOPY;
  return made;
}

std::uint64_t Queue::dropped() const noexcept {
  xdp_statistics counted{};
  socklen_t size = sizeof counted;
  if (::getsockopt(socket_.get(), SOL_XDP, XDP_STATISTICS, &counted, &size) != 0) return 0;
  // rx_dropped has those that found no frame or did not fit; a full ring is counted apart.
  return counted.rx_dropped + counted.rx_ring_full;
}

std::span<std::byte> Queue::take(std::size_t& size) noexcept {
  const xdp_desc& entry = receive_.take();
  size = entry.len;
  return {frames_.data() + entry.addr, kFrame - (entry.addr & kFrameMask)};
}

void Queue::send(std::span<std::byte> frame, std::size_t size) noexcept {
  send_.put(
      {.addr = offset_of(frame.data()), .len = static_cast<std::uint32_t>(size), .options = 0});
}

void Queue::put_back(std::span<std::byte> frame) noexcept {
  fill_.put(offset_of(frame.data()) & ~kFrameMask);
}

std::span<std::byte> Queue::spare() noexcept {
  if (spare_.empty()) return {};
  const std::uint64_t frame = spare_.back();
  spare_.pop_back();
  return {frames_.data() + frame, kFrame};
}

unsigned Queue::submit() noexcept {
  receive_.release();
  send_.submit();
  // In copy mode one call sends up to 32 frames and says EAGAIN where more are left.
  // It says so too while the frames sent before hold too much memory, so there is an end to asking.
  constexpr unsigned kCallsMost = Ring<xdp_desc>::kSize / 32;
  unsigned calls = 0;
  while (calls < kCallsMost && unsent() && send_.wants_call()) {
    ++calls;
    if (::sendto(socket_.get(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) == 0 || errno != EAGAIN)
      break;
  }
  for (std::uint32_t left = completed_.filled(); left > 0; --left) {
    const std::uint64_t frame = completed_.take() & ~kFrameMask;
    if (asks_)
      spare_.push_back(frame);
    else
      fill_.put(frame);
  }
  completed_.release();
  fill_.submit();
  return calls;
}

}  // namespace wiremark::net::xdp
