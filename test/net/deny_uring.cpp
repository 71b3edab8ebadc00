// Runs a command to which the kernel denies io_uring: with EPERM, as docker's filter does, or with
// the ERRNO of another's.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

int main(int argc, char** argv) {
  const unsigned number = argc > 1 ? strtoul(argv[1], nullptr, 10) & SECCOMP_RET_DATA : 0;
  char** const command = argv + (number > 0 ? 2 : 1);
  if (*command == nullptr) {
    fprintf(stderr, "usage: deny_uring [ERRNO] COMMAND [ARGUMENT...]\n");
    return 2;
  }
  static_assert(SYS_io_uring_enter == SYS_io_uring_setup + 1 &&
                SYS_io_uring_register == SYS_io_uring_setup + 2);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, SYS_io_uring_setup, 0, 2),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_io_uring_register, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number > 0 ? number : EPERM)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("prctl PR_SET_SECCOMP");
    return 77;
  }
  ::execvp(command[0], command);
  perror(command[0]);
  return 127;
}
