// An io_uring made for one thread, its receive buffers, and what this kernel allows of it.
#include "net/uring.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "net/uring_compat.h"
#include "net/wait.h"
#include "probe/evidence.h"

namespace wiremark::net {

namespace {

// Room for the submissions of a turn: the kernel hands over about 20 completions a turn. A burst of
// new connections that fills the queue submits early.
constexpr unsigned kSubmissions = 1024;
// Room for the completions of 10,000 connections that all send at once.
constexpr unsigned kCompletions = 16384;
// The most direct descriptors of one ring: a million take 8 MB.
constexpr rlim_t kSlots = 1 << 20;
// Twice what one turn takes from the ring: one batch being filled and one being sent.
constexpr unsigned kFirstBuffers = 64;
// The buffers in use should fit the cache: 16 KiB over 100 connections took 1.98 us a message (1.90
// to 2.17, ten interleaved runs) with this bound and 2.18 (2.06 to 2.39) without.
constexpr std::size_t kCached = 2 << 20;
// What circulates of long messages: 256 KiB over 10 connections took 46 and 57 us a message with 32
// buffers of 16 KiB, and 59 to 62 us with 64 or 128 (two runs of four interleaved rounds).
constexpr std::size_t kLongCached = 512 << 10;
// Buffers of a power of two would all start in the same few sets of the cache.
constexpr std::size_t kColour = 3 * 64;

std::size_t ring_bytes(unsigned count) { return count * sizeof(io_uring_buf); }

std::unexpected<Error> ring_failed(int error) {
  std::string why;
  if (const auto denial = probe::uring_denial(error))
    why = "(" + denial->why + "; " + denial->change + ", or use --backend epoll)";
  else if (error == ENOSYS || error == EINVAL)
    why = "(needs Linux 6.1 with io_uring; use --backend epoll)";
  if (error == ENOMEM) why = "(over the locked-memory limit; raise it with 'ulimit -l')";
  return failed("io_uring_setup", why, error);
}

std::byte* map_memory(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

Result<Ring> Ring::open(const UringOptions& options) {
  Ring ring;
  ring.active_ = options;
  int status = ring.set_up(options);
  if (status < 0 && options.sqpoll_ns > 0) {
    ring.missing_.push_back(std::string("sqpoll: not active: ") + std::strerror(-status));
    ring.active_.sqpoll_ns = 0;
    status = ring.set_up(ring.active_);
  }
  if (status < 0) return ring_failed(-status);
  ring.open_ = true;
  // Saves a descriptor look-up; it may fail on an old kernel.
  io_uring_register_ring_fd(&ring.ring_);
  ring.probe(options);
  return ring;
}

int Ring::set_up(const UringOptions& options) {
  io_uring_params params{};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
  if (options.sqpoll_ns > 0) {
    params.flags |= IORING_SETUP_SQPOLL;
    params.sq_thread_idle = static_cast<unsigned>(options.sqpoll_ns / kMillisecond);
  } else {
    params.flags |= IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
  }
  params.cq_entries = kCompletions;
  return io_uring_queue_init_params(kSubmissions, &ring_, &params);
}

// Keeps those choices that this kernel accepts when they are tried.
void Ring::probe(const UringOptions& asked) {
  const auto miss = [this](auto& choice, auto off, const std::string& why) {
    choice = off;
    missing_.push_back(why);
  };
  if (!(ring_.features & kFeatMinTimeout)) active_.min_wait = false;
  if (asked.bundle && !(ring_.features & kFeatBundle))
    miss(active_.bundle, false, "bundle: not active: needs Linux 6.10");
  if (asked.direct) {
    // The table may be as large as the limit on open files (io_uring_register_files(3)).
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    const auto slots = static_cast<unsigned>(std::min<rlim_t>(files.rlim_cur, kSlots));
    if (const int status = io_uring_register_files_sparse(&ring_, slots); status < 0)
      miss(active_.direct, false, std::string("direct: not active: ") + std::strerror(-status));
  }
  if (asked.napi_ns > 0) {
    if (const int status = register_napi(ring_.ring_fd, asked.napi_ns); status < 0)
      miss(active_.napi_ns, 0, std::string("napi: not active: ") + std::strerror(-status));
  }
  if (asked.zero_copy_min > 0) {
    io_uring_probe* probe = io_uring_get_probe_ring(&ring_);
    if (!probe || !io_uring_opcode_supported(probe, IORING_OP_SEND_ZC))
      miss(active_.zero_copy_min, 0, "zc: not active: needs Linux 6.0");
    if (probe) io_uring_free_probe(probe);
  }
}

Ring::Ring(Ring&& other) noexcept
    : ring_(other.ring_),
      active_(other.active_),
      missing_(std::move(other.missing_)),
      submissions_(other.submissions_),
      open_(std::exchange(other.open_, false)) {}

Ring::~Ring() {
  if (open_) io_uring_queue_exit(&ring_);
}

io_uring_sqe& Ring::entry() {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  while (!sqe) {
    ++submissions_;
    io_uring_submit_and_get_events(
        &ring_);  // Also fetches completions, without whose room nothing can be submitted.
    sqe = io_uring_get_sqe(&ring_);
  }
  return *sqe;
}

bool Ring::has_work() const noexcept { return io_uring_cq_ready(&ring_) > 0 || is_behind(); }

unsigned Ring::wait(Nanoseconds now, Nanoseconds gather, Nanoseconds until) {
  io_uring_cqe* first;
  if (gather >= now + kMicrosecond && active_.min_wait) {
    const unsigned submits = io_uring_sq_ready(&ring_) > 0;
    if (submits) io_uring_submit(&ring_);
    min_wait(ring_.ring_fd, WaitPolicy::kBatch, gather - now, until == kNever ? 0 : until - now);
    return submits + 1;
  }
  // Without min-wait: if nothing came by the end of the gathering, the next turn waits on.
  const bool batch = gather > now;
  if (until == kNever && !batch) {
    io_uring_submit_and_wait(&ring_, 1);
  } else {
    auto timeout = to_timespec<__kernel_timespec>((batch ? gather : until) - now);
    io_uring_submit_and_wait_timeout(&ring_, &first, batch ? WaitPolicy::kBatch : 1, &timeout,
                                     nullptr);
  }
  return 1;
}

void Ring::discard() noexcept {
  unsigned brought;
  do {  // An enter completes 20 or so; one that brings none is the last, whatever the flag says.
    io_uring_submit_and_get_events(&ring_);
    brought = io_uring_cq_ready(&ring_);
    io_uring_cq_advance(&ring_, brought);
  } while (brought > 0 && is_behind());
}

void Ring::cancel_all() {
  io_uring_sync_cancel_reg everything{};
  everything.fd = -1;
  everything.flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL;
  everything.timeout = {.tv_sec = 1, .tv_nsec = 0};
  io_uring_register_sync_cancel(&ring_, &everything);
}

Result<BufferRing> BufferRing::open(Ring& ring, unsigned count, std::size_t size,
                                    std::uint16_t group) {
  BufferRing buffers;
  buffers.count_ = count;
  buffers.size_ = size;
  buffers.stride_ = size + kColour;
  buffers.place_.resize(count);
  auto* memory = map_memory(ring_bytes(count));
  if (!memory) return failed("mmap", "buffer ring");
  buffers.ring_ = reinterpret_cast<io_uring_buf_ring*>(memory);
  buffers.memory_ = map_memory(count * buffers.stride_);
  if (!buffers.memory_) return failed("mmap", "receive buffers");

  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uintptr_t>(buffers.ring_);
  registration.ring_entries = count;
  registration.bgid = group;
  const int status = io_uring_register_buf_ring(ring.get(), &registration, 0);
  if (status < 0) return failed("io_uring_register_buf_ring", "(needs Linux 5.19)", -status);
  io_uring_buf_ring_init(buffers.ring_);
  buffers.most_ = count;
  buffers.most_of_long_ =
      static_cast<unsigned>(std::clamp<std::size_t>(std::bit_floor(kLongCached / size), 1, count));
  for (unsigned id = count; id-- > 0;) buffers.unused_.push_back(static_cast<std::uint16_t>(id));
  buffers.take_in(std::min(kFirstBuffers, count));
  buffers.publish();
  return buffers;
}

BufferRing::BufferRing(BufferRing&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)),
      memory_(std::exchange(other.memory_, nullptr)),
      size_(other.size_),
      stride_(other.stride_),
      fill_(other.fill_),
      count_(other.count_),
      circulating_(other.circulating_),
      most_(other.most_),
      most_of_long_(other.most_of_long_),
      pending_(other.pending_),
      grown_(other.grown_),
      added_(other.added_),
      unused_(std::move(other.unused_)),
      place_(std::move(other.place_)) {}

BufferRing::~BufferRing() {
  if (ring_) ::munmap(ring_, ring_bytes(count_));
  if (memory_) ::munmap(memory_, count_ * stride_);
}

void BufferRing::grow() noexcept {
  if (std::exchange(grown_, true)) return;
  const unsigned wanted = std::min({2 * circulating_, count_, most_});
  if (wanted * fill_ <= kCached) take_in(wanted);
}

void BufferRing::take_in(unsigned wanted) noexcept {
  while (circulating_ < wanted) {
    ++circulating_;
    give_back(unused_.back());
    unused_.pop_back();
  }
}

void BufferRing::put_aside(unsigned id) noexcept {
  unused_.push_back(static_cast<std::uint16_t>(id));  // Has had room for all of them.
  --circulating_;
}

}  // namespace wiremark::net
