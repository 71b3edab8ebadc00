// An io_uring of eight entries made with the system calls alone: netprobe must build in seconds and
// try flags that no release of liburing has a name for.
#include "probe/small_ring.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace wiremark::probe {

namespace {

constexpr unsigned kEntries = 8;

std::atomic_ref<unsigned> counter(char* rings, unsigned offset) {
  return std::atomic_ref<unsigned>(*reinterpret_cast<unsigned*>(rings + offset));
}

void* map(int fd, std::size_t size, off_t what) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

Result<SmallRing> SmallRing::open(unsigned flags) {
  SmallRing ring;
  ring.params_.flags = flags;
  ring.params_.sq_thread_idle = 1;
  ring.fd_ = Fd(static_cast<int>(::syscall(__NR_io_uring_setup, kEntries, &ring.params_)));
  if (!ring.fd_) return failed("io_uring_setup");
  const io_uring_params& params = ring.params_;
  // Both queues are one mapping since Linux 5.4 (IORING_FEAT_SINGLE_MMAP).
  ring.rings_size_ =
      std::max<std::size_t>(params.sq_off.array + params.sq_entries * sizeof(unsigned),
                            params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe));
  ring.rings_ = static_cast<char*>(map(ring.fd(), ring.rings_size_, IORING_OFF_SQ_RING));
  ring.entries_ = static_cast<io_uring_sqe*>(
      map(ring.fd(), params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  if (!ring.rings_ || !ring.entries_) return failed("mmap");
  return ring;
}

SmallRing::SmallRing(SmallRing&& other) noexcept
    : fd_(std::move(other.fd_)),
      params_(other.params_),
      rings_(std::exchange(other.rings_, nullptr)),
      rings_size_(other.rings_size_),
      entries_(std::exchange(other.entries_, nullptr)) {}

SmallRing::~SmallRing() {
  if (rings_) ::munmap(rings_, rings_size_);
  if (entries_) ::munmap(entries_, params_.sq_entries * sizeof(io_uring_sqe));
}

Result<> SmallRing::submit(const io_uring_sqe& operation) {
  const auto tail = counter(rings_, params_.sq_off.tail);
  const unsigned place = tail.load() & (params_.sq_entries - 1);
  entries_[place] = operation;
  reinterpret_cast<unsigned*>(rings_ + params_.sq_off.array)[place] = place;
  tail.store(tail.load() + 1);
  const bool polled = params_.flags & IORING_SETUP_SQPOLL;
  if (::syscall(__NR_io_uring_enter, fd(), 1, 0, polled ? IORING_ENTER_SQ_WAKEUP : 0, nullptr, 0) <
      0)
    return failed("io_uring_enter");
  return {};
}

std::optional<Completion> SmallRing::wait() {
  const auto head = counter(rings_, params_.cq_off.head);
  if (head.load() == counter(rings_, params_.cq_off.tail).load()) {
    const __kernel_timespec second{.tv_sec = 1, .tv_nsec = 0};
    io_uring_getevents_arg argument{};
    argument.ts = reinterpret_cast<std::uintptr_t>(&second);
    ::syscall(__NR_io_uring_enter, fd(), 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
              &argument, sizeof argument);
  }
  if (head.load() == counter(rings_, params_.cq_off.tail).load()) return std::nullopt;
  const auto* completions = reinterpret_cast<io_uring_cqe*>(rings_ + params_.cq_off.cqes);
  const io_uring_cqe& first = completions[head.load() & (params_.cq_entries - 1)];
  const Completion copy{.res = first.res, .flags = first.flags};
  head.store(head.load() + 1);
  return copy;
}

}  // namespace wiremark::probe
