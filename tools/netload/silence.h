// What a run saw of a server that sent nothing back, and what follows from it.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace wiremark::tools {

/// No byte came back to any request.
struct Silence {
  std::uint64_t closed = 0;  ///< Connections that the server ended.
  std::uint64_t waited = 0;  ///< Connections that waited for `timeout`.
  Nanoseconds timeout = 0;
  bool speaks_tls = false;  ///< As tls_port.h has it.
  std::string asked;        ///< ExchangePlan::unanswered().
};

/// A sentence; empty where no connection was closed and none waited.
std::string describe(const Silence& silence);

}  // namespace wiremark::tools
