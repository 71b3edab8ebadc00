// Operations that another process hands to its io_uring, counted, and one of them made to fail.
#include "ring_fault.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace wiremark::faults {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kNopInjectResult = 1;  // IORING_NOP_INJECT_RESULT, of newer headers.
constexpr std::uint32_t kNoArray = 1 << 16;    // IORING_SETUP_NO_SQARRAY.

constexpr std::pair<int, std::string_view> kOperations[] = {
    {IORING_OP_NOP, "nop"},
    {IORING_OP_ACCEPT, "accept"},
    {IORING_OP_ASYNC_CANCEL, "cancel"},
    {IORING_OP_CLOSE, "close"},
    {IORING_OP_CONNECT, "connect"},
    {IORING_OP_POLL_ADD, "poll"},
    {IORING_OP_RECV, "recv"},
    {IORING_OP_RECVMSG, "recvmsg"},
    {IORING_OP_SEND, "send"},
    {IORING_OP_SENDMSG, "sendmsg"},
    {IORING_OP_SHUTDOWN, "shutdown"},
};

// The ring of the process: it has one at a time.
int find_ring(pid_t process) {
  std::error_code ignored;
  int found = -1;
  for (const auto& entry :
       fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", ignored)) {
    if (fs::read_symlink(entry.path(), ignored) == "anon_inode:[io_uring]")
      found = std::stoi(entry.path().filename());
  }
  return found;
}

}  // namespace

std::string name_of_operation(int opcode) {
  for (const auto& [number, name] : kOperations) {
    if (number == opcode) return "op:" + std::string(name);
  }
  return "op:" + std::to_string(opcode);
}

bool RingWatch::can_fail() {
  utsname system{};
  int major = 0, minor = 0;
  ::uname(&system);
  return std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 11));
}

// A ring of our own made from the same parameters tells where everything lies in the other one.
void RingWatch::set_up(unsigned entries, std::uint64_t parameters) {
  close();
  iovec here{&parameters_, sizeof parameters_};
  iovec there{reinterpret_cast<void*>(parameters), sizeof parameters_};
  if (::process_vm_readv(process_, &here, 1, &there, 1, 0) != sizeof parameters_) return;
  const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, entries, &parameters_));
  if (ring < 0) return;
  ::close(ring);
  is_new_ = true;
}

bool RingWatch::open() {
  if (entries_) return true;
  const int number = is_new_ ? find_ring(process_) : -1;
  const int ring =
      number < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd_, number, 0));
  if (ring < 0) return false;
  is_new_ = false;
  const bool has_array = !(parameters_.flags & kNoArray);
  const auto map = [ring](std::size_t size, std::uint64_t offset) {
    return ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
                  static_cast<off_t>(offset));
  };
  ring_size_ = has_array ? parameters_.sq_off.array + parameters_.sq_entries * sizeof(std::uint32_t)
                         : parameters_.cq_off.cqes;
  void* shared = map(ring_size_, IORING_OFF_SQ_RING);
  void* entries = map(parameters_.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
  ::close(ring);
  if (shared == MAP_FAILED || entries == MAP_FAILED) return false;
  ring_ = static_cast<std::byte*>(shared);
  entries_ = static_cast<io_uring_sqe*>(entries);
  seen_ = 0;
  return true;
}

void RingWatch::close() {
  if (ring_) ::munmap(ring_, ring_size_);
  if (entries_) ::munmap(entries_, parameters_.sq_entries * sizeof(io_uring_sqe));
  ring_ = nullptr;
  entries_ = nullptr;
}

std::uint32_t& RingWatch::word(std::uint32_t offset) const {
  return *reinterpret_cast<std::uint32_t*>(ring_ + offset);
}

bool RingWatch::enter(const RingFault& fault) {
  if (!open()) return false;
  bool done = false;
  const std::uint32_t tail =
      std::atomic_ref(word(parameters_.sq_off.tail)).load(std::memory_order_acquire);
  for (; seen_ != tail; ++seen_) {
    std::uint32_t place = seen_ & word(parameters_.sq_off.ring_mask);
    if (!(parameters_.flags & kNoArray))
      place = word(parameters_.sq_off.array + place * static_cast<std::uint32_t>(sizeof place));
    io_uring_sqe& entry = entries_[place];
    const std::uint64_t count = ++counts_[entry.opcode];
    if (name_of_operation(entry.opcode) != fault.operation || !fault.hits(count)) continue;
    const io_uring_sqe before = std::exchange(entry, {});
    entry.opcode = IORING_OP_NOP;
    entry.flags = before.flags & IOSQE_CQE_SKIP_SUCCESS;
    entry.user_data = before.user_data;
    entry.len = static_cast<std::uint32_t>(-fault.error);
    entry.rw_flags = kNopInjectResult;
    done = true;
  }
  return done;
}

}  // namespace wiremark::faults
