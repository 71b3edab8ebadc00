// What kernels after Linux 6.1 can do and the headers of liburing 2.3 have no names for.
// The values are the kernel's, so the same code is built with any release of liburing.
#pragma once

#include <liburing.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/clock.h"

namespace wiremark::net {

/// IORING_FEAT_MIN_TIMEOUT of io_uring_setup(2): the kernel gathers completions (Linux 6.12).
inline constexpr unsigned kFeatMinTimeout = 1u << 15;

/// IORING_FEAT_RECVSEND_BUNDLE of io_uring_setup(2) (Linux 6.10).
inline constexpr unsigned kFeatBundle = 1u << 14;
/// IORING_RECVSEND_BUNDLE, in io_uring_sqe.ioprio of a receive.
inline constexpr std::uint16_t kReceiveBundle = 1u << 4;
/// IORING_SEND_ZC_REPORT_USAGE, in io_uring_sqe.ioprio of a send (Linux 6.2).
inline constexpr std::uint16_t kReportUsage = 1u << 3;
/// IORING_NOTIF_USAGE_ZC_COPIED, in the notification of such a send.
inline constexpr unsigned kUsageCopied = 1u << 31;

/// Makes a ring poll the queues of network cards for `busy` before it sleeps (Linux 6.9).
/// liburing has this since 2.6. Returns 0 or -errno.
inline int register_napi(int ring, Nanoseconds busy) {
  constexpr unsigned kRegisterNapi = 27;  // IORING_REGISTER_NAPI.
  // struct io_uring_napi.
  struct {
    std::uint32_t busy_us;
    std::uint8_t prefer_busy = 1;
    std::uint8_t rest[11] = {};
  } argument;
  argument.busy_us = static_cast<std::uint32_t>(busy / kMicrosecond);
  return ::syscall(__NR_io_uring_register, ring, kRegisterNapi, &argument, 1) < 0 ? -errno : 0;
}

/// Sleeps until `count` have completed, or one has and `gather` has passed, or `limit` has, which
/// is 0 for none. liburing has this since 2.8, with the submission in the same call.
inline int min_wait(int ring, unsigned count, Nanoseconds gather, Nanoseconds limit) {
  // struct io_uring_getevents_arg, whose third field older headers call pad.
  struct {
    std::uint64_t sigmask = 0;
    std::uint32_t sigmask_size = 0;
    std::uint32_t min_wait_us;
    std::uint64_t timeout;
  } argument;
  const auto timeout = to_timespec<__kernel_timespec>(limit);
  argument.min_wait_us = static_cast<std::uint32_t>(gather / kMicrosecond);
  argument.timeout = limit > 0 ? reinterpret_cast<std::uintptr_t>(&timeout) : 0;
  return static_cast<int>(::syscall(__NR_io_uring_enter, ring, 0, count,
                                    IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument,
                                    sizeof argument));
}

}  // namespace wiremark::net
