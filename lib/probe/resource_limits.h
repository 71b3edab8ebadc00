// The limits that a load of many connections meets, as the kernel grants them when asked.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace wiremark::probe {

struct Limits {
  std::uint64_t descriptors = 0;   ///< Open files, once the soft limit is raised to the hard one.
  std::uint64_t backlog = 0;       ///< What listen(2) grants of 65,535 (SOMAXCONN).
  std::uint64_t ports = 0;         ///< From which connect(2) takes one, for each source address.
  std::uint64_t memory_bytes = 0;  ///< Available, or what the cgroup has left.
  unsigned cores = 0;              ///< Those this process may use.
  Nanoseconds message_ns = 0;      ///< Both ends' time for a message there and back over loopback.
};

/// What could not be found out is 0.
Limits find_limits();

}  // namespace wiremark::probe
