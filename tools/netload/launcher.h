// A launcher that starts several netloads together.
#pragma once

#include "base/result.h"
#include "net/stop.h"

namespace wiremark::tools {

/// Writes "ready" to the launcher at the other end of `fd`, since every connection is open, and
/// reads when the first message is to be sent: a line with the seconds since 1970. 0 where `stop`
/// came first. Errors: the launcher has gone, or says something else.
Result<double> await_start(int fd, const net::Stop& stop);

}  // namespace wiremark::tools
