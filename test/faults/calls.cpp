// System calls by name.
#include "calls.h"

#include <string.h>
#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

namespace wiremark::faults {

namespace {

struct Call {
  std::string_view name;
  int number;
};

// Those that the tools make, or made. What only some processors have stands apart.
constexpr Call kCalls[] = {
#define CALL(name) {#name, SYS_##name}
    CALL(accept4),
    CALL(bind),
    CALL(brk),
    CALL(clock_getres),
    CALL(clock_gettime),
    CALL(clock_nanosleep),
    CALL(clone),
    CALL(clone3),
    CALL(close),
    CALL(connect),
    CALL(dup3),
    CALL(epoll_create1),
    CALL(epoll_ctl),
    CALL(epoll_pwait),
    CALL(epoll_pwait2),
    CALL(eventfd2),
    CALL(execve),
    CALL(exit),
    CALL(exit_group),
    CALL(fcntl),
    CALL(flock),
    CALL(fstat),
    CALL(futex),
    CALL(ftruncate),
    CALL(getcpu),
    CALL(getcwd),
    CALL(getdents64),
    CALL(getpeername),
    CALL(getpid),
    CALL(getppid),
    CALL(getrandom),
    CALL(getrusage),
    CALL(getsockname),
    CALL(getsockopt),
    CALL(gettid),
    CALL(io_uring_enter),
    CALL(io_uring_register),
    CALL(io_uring_setup),
    CALL(ioctl),
    CALL(kill),
    CALL(listen),
    CALL(lseek),
    CALL(madvise),
    CALL(membarrier),
    CALL(mkdirat),
    CALL(memfd_create),
    CALL(mmap),
    CALL(mprotect),
    CALL(mremap),
    CALL(munmap),
    CALL(newfstatat),
    CALL(openat),
    CALL(pidfd_open),
    CALL(pipe2),
    CALL(ppoll),
    CALL(prctl),
    CALL(pread64),
    CALL(prlimit64),
    CALL(read),
    CALL(readlinkat),
    CALL(readv),
    CALL(recvfrom),
    CALL(recvmmsg),
    CALL(recvmsg),
    CALL(renameat),
    CALL(renameat2),
    CALL(restart_syscall),
    CALL(rseq),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(rt_sigreturn),
    CALL(sched_getaffinity),
    CALL(sched_setaffinity),
    CALL(sched_yield),
    CALL(sendmmsg),
    CALL(sendmsg),
    CALL(sendto),
    CALL(set_robust_list),
    CALL(set_tid_address),
    CALL(setpgid),
    CALL(setsockopt),
    CALL(shutdown),
    CALL(socket),
    CALL(statx),
    CALL(sysinfo),
    CALL(tgkill),
    CALL(uname),
    CALL(unlinkat),
    CALL(wait4),
    CALL(write),
    CALL(writev),
#ifdef SYS_access
    CALL(access),
    CALL(arch_prctl),
    CALL(chmod),
    CALL(dup2),
    CALL(fork),
    CALL(getrlimit),
    CALL(link),
    CALL(lstat),
    CALL(mkdir),
    CALL(open),
    CALL(pipe),
    CALL(poll),
    CALL(readlink),
    CALL(rename),
    CALL(rmdir),
    CALL(stat),
    CALL(unlink),
    CALL(vfork),
#endif
#undef CALL
};

}  // namespace

std::optional<int> number_of(std::string_view call) {
  const auto found = std::ranges::find(kCalls, call, &Call::name);
  if (found == std::end(kCalls)) return std::nullopt;
  return found->number;
}

std::string name_of(int number) {
  const auto found = std::ranges::find(kCalls, number, &Call::number);
  if (found == std::end(kCalls)) return "call_" + std::to_string(number);
  return std::string(found->name);
}

std::optional<int> errno_of(std::string_view name) {
  constexpr int kErrors = 134;
  for (int error = 1; error < kErrors; ++error) {
    const char* known = ::strerrorname_np(error);
    if (known && name == known) return error;
  }
  return std::nullopt;
}

}  // namespace wiremark::faults
