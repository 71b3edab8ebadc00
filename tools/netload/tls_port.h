// Whether a port speaks TLS, of which a run in plain text sees no more than that it fails.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "net/address.h"
#include "net/stop.h"

namespace wiremark::tools {

/// What is said of a port that does.
inline constexpr const char* kSpeaksTls =
    "the port speaks TLS (it answered a ClientHello), which netload does not: name one without it";

/// Asks `to`, an address of TCP, over a connection of its own, from the host `from` or, where that
/// is null, the one that the route decides. False also where no answer came within `patience`, or
/// before the stop.
bool speaks_tls(const net::Address& to, const net::Address* from, Nanoseconds patience,
                const net::Stop& stop);

/// A server that speaks TLS answers, or closes, when it has so many bytes: the head of a record.
inline constexpr std::uint64_t kTlsHead = 5;

}  // namespace wiremark::tools
