// A launcher that starts several netloads together.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "net/stop.h"

namespace wiremark::tools {

/// Tells the launcher at the other end of `fd` "ready", since every connection is open, and reads
/// when the first message is to be sent: a line with the seconds since 1970. Each is answered: with
/// "set"; or with "late" where it is not `lead` ahead, and then another is waited for. Until `lead`
/// before that moment the launcher may name another, and is then told "begun". The moment, or 0
/// where `stop` came first; it lies in the past where this process was held up. Errors: the
/// launcher has gone before it named one that is ahead, or says something else.
Result<double> await_start(int fd, const net::Stop& stop, Nanoseconds lead);

/// The clock by which netloads on several machines start together: seconds since 1970.
double clock_of_day();

/// That all connections were open only so many seconds after the start.
std::unexpected<Error> open_too_late(double seconds);

}  // namespace wiremark::tools
