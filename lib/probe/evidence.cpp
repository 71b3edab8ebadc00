// What shows whether a feature that the kernel accepted does anything, in the same words for
// netprobe and for the path of a result.
#include "probe/evidence.h"

#include <sys/socket.h>

#include <cerrno>

#include "measure/text_file.h"

namespace wiremark::probe {

namespace {

// Docker's filter answers EPERM, podman's as a kernel that knows no such call.
bool filtered() {
  const auto status = measure::read_text("/proc/self/status");
  return status && measure::number_behind(*status, "\nSeccomp:").value_or(0) != 0;
}

}  // namespace

unsigned napi_id(int fd) noexcept {
  unsigned id = 0;
  socklen_t size = sizeof id;
  return ::getsockopt(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &id, &size) == 0 ? id : 0;
}

std::string napi_evidence(unsigned id) {
  if (id > 0) return "a queue with the NAPI id " + std::to_string(id) + " is polled";
  return "accepted by the kernel, but no connection has a NAPI id: nothing is polled";
}

std::string copied_evidence(std::uint64_t sends, std::uint64_t copied) {
  if (sends == 0) return "no send went this way";
  return std::to_string(sends) + " sends, of which " + std::to_string(100 * copied / sends) +
         " % were copied by the kernel all the same";
}

std::optional<Denial> uring_denial(int error) {
  if (error != EPERM && error != EACCES && !(error == ENOSYS && filtered())) return {};
  const auto text = measure::read_text("/proc/sys/kernel/io_uring_disabled");
  std::string_view digits = text ? std::string_view(*text) : std::string_view();
  if (const std::uint64_t disabled = measure::take_number(digits).value_or(0); disabled > 0) {
    return Denial{"denied: sysctl kernel.io_uring_disabled is " + std::to_string(disabled),
                  "sysctl -w kernel.io_uring_disabled=0"};
  }
  return Denial{
      "denied, probably by a container's seccomp filter",
      "docker --security-opt seccomp=PROFILE that allows io_uring_setup, io_uring_enter and "
      "io_uring_register"};
}

}  // namespace wiremark::probe
