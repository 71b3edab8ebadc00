// The gaps of another process's loops, in memory that both processes have.
#include "shared_gaps.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace wiremark::tools {

namespace {

constexpr const char* kWhat = "the gaps of a loop";
constexpr std::size_t kSize = SharedGaps::kThreadsMax * sizeof(measure::LoopGaps);

}  // namespace

void SharedGaps::Unmap::operator()(measure::LoopGaps* gaps) const noexcept {
  ::munmap(gaps, kSize);
}

Result<SharedGaps> SharedGaps::map(Fd fd) {
  void* const at = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return failed("mmap", kWhat);
  SharedGaps shared;
  shared.fd_ = std::move(fd);
  shared.gaps_.reset(static_cast<measure::LoopGaps*>(at));  // Zeros are gaps of none.
  return shared;
}

Result<SharedGaps> SharedGaps::make() {
  Fd fd(::memfd_create("wiremark-gaps", MFD_CLOEXEC));
  if (!fd) return failed("memfd_create", kWhat);
  if (::ftruncate(fd.get(), kSize) != 0) return failed("ftruncate", kWhat);
  return map(std::move(fd));
}

Result<SharedGaps> SharedGaps::of(int fd) {
  const std::string name = "descriptor " + std::to_string(fd);
  struct stat file{};
  if (::fstat(fd, &file) != 0) return failed("fstat", name);
  // A shorter file would be a SIGBUS later.
  if (!S_ISREG(file.st_mode) || static_cast<std::size_t>(file.st_size) < kSize)
    return failed("mmap", name + " is not the memory that netload makes", EINVAL);
  return map(Fd(fd));
}

SharedGaps::Sum SharedGaps::sum() const noexcept {
  Sum sum;
  for (const measure::LoopGaps& gaps : all()) {
    sum.gap_max = std::max(sum.gap_max, gaps.gap_max_ns.load(std::memory_order_relaxed));
    sum.held_up += gaps.held_up_ns.get();
    sum.away += gaps.away_ns.get();
  }
  return sum;
}

SharedGaps::Sum SharedGaps::begin(Nanoseconds from, Nanoseconds until) const noexcept {
  for (measure::LoopGaps& gaps : all()) gaps.from_ns.store(from, std::memory_order_relaxed);
  end(until == kNever ? 0 : until);
  const Sum before = sum();
  for (measure::LoopGaps& gaps : all()) gaps.gap_max_ns.store(0, std::memory_order_relaxed);
  return before;
}

void SharedGaps::end(Nanoseconds until) const noexcept {
  for (measure::LoopGaps& gaps : all()) gaps.until_ns.store(until, std::memory_order_relaxed);
}

}  // namespace wiremark::tools
