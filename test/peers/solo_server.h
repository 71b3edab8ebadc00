// What the servers for other load generators share: a command line, one reactor, and their end.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "net/reactor.h"
#include "net/socket.h"
#include "net/stop.h"

namespace wiremark::peers {

/// "--name value" pairs. Reads them all, or ends the process with 2 and `usage` on stderr where a
/// name is not among `defaults`, which holds every option's value if it is not given.
std::map<std::string, std::string> parse_options(int argc, char** argv, const char* usage,
                                                 std::map<std::string, std::string> defaults);

/// The stop that SIGTERM and SIGINT request.
net::Stop& stop_by_signal();

/// Renamed when whole, so that a reader sees all or nothing.
Result<> write_port(const std::string& file, const net::Address& address);

/// Opens the reactor `backend`, listens on `address`, writes its port to `port_file` and calls
/// serve(reactor, stop), all on this thread.
template <class Serve>
Result<> serve_alone(const std::string& backend, const std::string& address,
                     const std::string& port_file, Serve&& serve) {
  const auto asked = net::parse_backend(backend);
  if (!asked) return std::unexpected(asked.error());
  const auto choice = net::choose_backend(*asked);
  if (!choice) return std::unexpected(choice.error());
  if (auto allowed = net::require_descriptors(64); !allowed)
    return std::unexpected(allowed.error());
  const auto where = net::Address::parse(address);
  if (!where) return std::unexpected(where.error());
  net::Stop& stop = stop_by_signal();
  return net::with_streams(choice->backend, {}, [&](auto& reactor) -> Result<> {
    const auto bound = reactor.listen(*where, {});
    if (!bound) return std::unexpected(bound.error());
    if (auto written = write_port(port_file, *bound); !written) return written;
    serve(reactor, stop);
    return {};
  });
}

}  // namespace wiremark::peers
