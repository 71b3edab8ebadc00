// What shows whether a feature that the kernel accepted does anything, in the same words for
// netprobe and for the path of a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace wiremark::probe {

/// The queue that a connected socket receives from (SO_INCOMING_NAPI_ID, Linux 4.12); 0 where there
/// is none, as on loopback and veth, and so nothing for busy polling to poll.
unsigned napi_id(int fd) noexcept;

/// What that id says of busy polling.
std::string napi_evidence(unsigned id);

/// What notifications say of zero-copy sends.
std::string copied_evidence(std::uint64_t sends, std::uint64_t copied);

/// Waits on an epoll for no time, by the call that the reactor on epoll makes (epoll_pwait2(2),
/// Linux 5.11).
Result<> wait_on_epoll();

/// Why io_uring was denied, and what changes that; none where `error` is not a denial. ENOSYS is one
/// below a seccomp filter.
struct Denial {
  std::string why;
  std::string change;
};
std::optional<Denial> uring_denial(int error);

}  // namespace wiremark::probe
