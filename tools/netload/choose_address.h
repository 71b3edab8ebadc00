// Which address of its target a load goes to.
#pragma once

#include "base/result.h"
#include "net/address.h"
#include "net/stop.h"
#include "netload/load_options.h"

namespace wiremark::tools {

/// That of a target with one. Of a name with several, in the order of the resolver, one at which
/// somebody is seen to listen, or, on other machines, the first to take a connection; over UDP,
/// where nobody says so, the first to which there is a route. An address of this machine at which
/// nobody listens is passed over, and so is one of another family than --source-ip. Errors: those
/// of net::Address::resolve(); no connection opened within --timeout, with what became of each.
Result<net::Address> choose_address(const LoadOptions& options, const net::Stop& stop);

}  // namespace wiremark::tools
