// The local addresses that the connections of a run come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace wiremark::net {

/// Between two addresses there can be as many connections as there are local ports, and finding a
/// free port takes a hundred times as long once half of them are taken: connect(2) on Linux 6.18
/// took 12 to 20 us for the first 14,000 of 28,232 and over 1 ms after that. More source addresses
/// have more ports.
class Sources {
 public:
  /// The kernel picks the source, by the route to the target.
  Sources() = default;

  /// Parses "10.0.0.1", "127.0.0.2-127.0.0.9", "fd00::1-fd00::8" and lists of these with commas, of
  /// one family and up to 65,536 addresses.
  static Result<Sources> parse(std::string_view list);

  /// As many addresses of 127.0.0.0/8 as it takes to use at most a quarter of the ports of each, if
  /// `to` is an IPv4 loopback address and `connections` exceed half of the ports; otherwise the
  /// kernel picks. Each process gets addresses of its own, so that several can load one target.
  static Sources spread(const Address& to, std::size_t connections);

  /// Errors: not of the target's family, or fewer ports than `connections`; the message names the
  /// fix.
  Result<> require_ports(const Address& to, std::size_t connections) const;

  /// The source address for a connection, each in turn; null where the kernel picks.
  const Address* of(std::uint64_t connection) const noexcept {
    return hosts_.empty() ? nullptr : &hosts_[connection % hosts_.size()];
  }

  std::size_t size() const noexcept { return hosts_.size(); }
  /// "127.18.4.1 to 127.18.4.9 (9)", or "kernel's choice".
  std::string to_string() const;

 private:
  std::vector<Address> hosts_;
};

/// How many ports connect(2) may pick from for one address (ip(7): ip_local_port_range).
std::size_t local_ports();

}  // namespace wiremark::net
