"""What each system call may end with, and the words of a message about it.

The errors are those of its man page that have a cause outside of the program, and EPERM or ENOSYS where a filter denies
it. The words are what a reader needs in order to find the cause; a call's own name always does.
"""

FILES = ["EMFILE", "ENFILE"]
DISK = ["ENOSPC", "EIO", "EDQUOT"]
# Not EAGAIN, which promises an event that would not come.
RECEIVE = ["EINTR", "ECONNRESET", "ETIMEDOUT", "ENOMEM", "EHOSTUNREACH"]
SEND = ["EINTR", "ECONNRESET", "EPIPE", "ENOBUFS", "ENOMEM", "EPERM"]
CONNECT = ["ECONNREFUSED", "ETIMEDOUT", "EADDRNOTAVAIL", "ENETUNREACH", "EPERM", "EAGAIN", "ECONNRESET"]
ACCEPT = ["ECONNABORTED", "EINTR", *FILES, "ENOBUFS", "ENOMEM", "EPERM", "EPROTO"]

ERRORS = {
    "access": ["EACCES", "ENOENT"],
    "accept4": ACCEPT,
    "bind": ["EACCES", "EADDRINUSE", "EADDRNOTAVAIL"],
    "brk": ["ENOMEM"],
    "clock_getres": ["EINVAL"],
    "clock_gettime": ["EINVAL", "EPERM"],
    "clock_nanosleep": ["EINTR"],
    "clone": ["EAGAIN", "ENOMEM", "EPERM"],
    "clone3": ["EAGAIN", "ENOMEM", "EPERM", "ENOSYS"],
    "close": ["EINTR", *DISK],
    "connect": [*CONNECT, "EINTR"],
    "epoll_create1": [*FILES, "ENOMEM"],
    "epoll_ctl": ["ENOMEM", "ENOSPC", "EPERM"],
    "epoll_pwait2": ["EINTR", "ENOSYS", "EPERM"],
    "eventfd2": [*FILES, "ENOMEM", "ENODEV", "EPERM"],
    "fcntl": ["EMFILE", "EINVAL", "EBADF"],
    "flock": ["EINTR", "ENOLCK"],
    "fstat": ["EIO", "ENOMEM"],
    "ftruncate": ["EINTR", "ENOMEM"],
    "getdents64": ["ENOENT", "ENOTDIR"],
    "getrandom": ["EINTR", "EAGAIN", "ENOSYS"],
    "getrusage": ["EPERM"],
    "getsockname": ["ENOBUFS"],
    "getsockopt": ["ENOPROTOOPT", "EPERM"],
    "io_uring_enter": ["EAGAIN", "EBUSY", "EINTR", "EPERM", "EBADR"],
    "io_uring_register": ["EINVAL", "ENOMEM", "EPERM", "EMFILE", "EBUSY"],
    "io_uring_setup": ["EPERM", "ENOSYS", "ENOMEM", "EINVAL", *FILES],
    "ioctl": ["ENOTTY"],
    "kill": ["ESRCH", "EPERM"],
    "listen": ["EADDRINUSE", "EOPNOTSUPP"],
    "lseek": ["ESPIPE"],
    "madvise": ["ENOMEM", "EAGAIN", "EINVAL"],
    "mkdir": ["EACCES", "ENOSPC", "EROFS"],
    "memfd_create": [*FILES, "ENOMEM", "ENOSYS", "EPERM"],
    "mmap": ["ENOMEM", "EAGAIN", "EPERM"],
    "mprotect": ["ENOMEM", "EACCES"],
    "mremap": ["ENOMEM", "EAGAIN"],
    "munmap": ["ENOMEM"],
    "newfstatat": ["EACCES", "ENOENT", "ENOMEM"],
    "openat": ["EACCES", "EINTR", "ENOENT", "ENOMEM", *FILES],
    "pidfd_open": ["ENOSYS", *FILES],
    "pipe2": FILES,
    "poll": ["EINTR", "ENOMEM"],
    "ppoll": ["EINTR", "ENOMEM"],
    "prctl": ["EPERM", "EINVAL"],
    "pread64": ["EINTR", "EIO"],
    "prlimit64": ["EPERM", "EINVAL"],
    "read": ["EAGAIN", "EINTR", "EIO"],
    "readlink": ["EACCES", "ENOENT"],
    "readlinkat": ["EACCES", "ENOENT"],
    "recvfrom": RECEIVE,
    "recvmmsg": RECEIVE,
    "recvmsg": RECEIVE,
    "rename": ["EACCES", "ENOSPC", "EXDEV"],
    "rmdir": ["ENOTEMPTY"],
    "sched_getaffinity": ["EPERM", "ENOSYS"],
    "sched_setaffinity": ["EINVAL", "EPERM"],
    "sendmmsg": SEND,
    "sendmsg": SEND,
    "sendto": SEND,
    "setsockopt": ["ENOPROTOOPT", "ENOMEM", "EPERM"],
    "shutdown": ["ENOTCONN"],
    "socket": ["EACCES", "EAFNOSUPPORT", *FILES, "ENOBUFS", "ENOMEM", "EPERM"],
    "sysinfo": ["EPERM"],
    "uname": ["EPERM"],
    "unlink": ["EACCES", "ENOENT"],
    "unlinkat": ["EACCES", "ENOENT"],
    "wait4": ["EINTR", "ECHILD"],
    "write": ["EAGAIN", "EINTR", "EPIPE", *DISK],
    "writev": ["EINTR", *DISK],
    "op:accept": ["ECANCELED", *ACCEPT],
    "op:cancel": ["ENOENT", "EALREADY", "ENOMEM"],
    "op:close": ["EINTR", "ENOMEM"],
    "op:connect": CONNECT,
    "op:nop": ["ENOMEM"],
    "op:poll": ["ECANCELED", "ENOMEM"],
    "op:recv": ["ENOBUFS", *RECEIVE],
    "op:recvmsg": ["ENOBUFS", *RECEIVE],
    "op:send": SEND,
    "op:sendmsg": SEND,
    "op:shutdown": ["ENOTCONN", "ENOMEM"],
}

# The C library's own, which it checks itself or which cannot fail where they are called; and the kernel's own, which
# goes on with a call that a stop of the process had interrupted.
CANNOT_FAIL = {"execve", "exit", "exit_group", "futex", "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask",
               "rt_sigreturn", "sched_yield", "set_robust_list", "set_tid_address", "getpid", "getppid",
               "gettid", "getcpu"}
