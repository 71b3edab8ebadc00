// What kernels after Linux 6.1 know of io_uring and older headers have no names for.
// It includes no header of io_uring: liburing's own and the kernel's do not go together.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/clock.h"

namespace wiremark::probe {

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

}  // namespace wiremark::probe
