// What kernels after Linux 6.1 can do and the headers of liburing 2.3 have no names for.
// The values are the kernel's, so the same code is built with any release of liburing.
#pragma once

#include <liburing.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/clock.h"
#include "probe/uring_names.h"

namespace wiremark::net {

using probe::kFeatBundle;
using probe::kFeatMinTimeout;
using probe::kReceiveBundle;
using probe::kReportUsage;
using probe::kUsageCopied;
using probe::register_napi;

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
