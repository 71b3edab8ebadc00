// Which of several addresses takes a connection.
#pragma once

#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "net/address.h"
#include "net/stop.h"

namespace wiremark::tools {

/// The first at which a connection opens, from the host `from` unless that is null. The next one is
/// tried when the one before has failed, or has not answered for 250 ms, and both are awaited then
/// (RFC 8305, 5). What opened is closed again, and nothing is sent. For streams. Once `stop` is
/// requested it is the first of all. Errors: none opened within `patience` of the last try, with
/// what became of each.
Result<net::Address> first_to_connect(std::span<const net::Address> addresses,
                                      const net::Address* from, Nanoseconds patience,
                                      const net::Stop& stop);

}  // namespace wiremark::tools
