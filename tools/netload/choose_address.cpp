// Which address of its target a load goes to.
#include "netload/choose_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "net/socket.h"
#include "netload/find_server.h"
#include "netload/first_to_connect.h"

namespace wiremark::tools {

namespace {

// Without those that are `unfit`, if others are left.
void narrow(std::vector<net::Address>& addresses, auto unfit) {
  if (!std::ranges::all_of(addresses, unfit)) std::erase_if(addresses, unfit);
}

bool is_served_here(const net::Address& address) {
  return is_of_this_machine(address) && !listeners_of(address).empty();
}

}  // namespace

Result<net::Address> choose_address(const LoadOptions& options, const net::Stop& stop) {
  auto addresses = net::Address::resolve(options.target, options.family.family());
  if (!addresses) return std::unexpected(addresses.error());
  const net::Address* const from = options.sources.of(0);
  narrow(*addresses,
         [&](const net::Address& one) { return from && one.family() != from->family(); });
  if (addresses->size() == 1) return addresses->front();
  narrow(*addresses, [](const net::Address& one) {
    return is_of_this_machine(one) && listeners_of(one).empty();
  });
  if (addresses->size() == 1 || is_served_here(addresses->front())) return addresses->front();
  if (over_udp(options)) {
    const auto routed = std::ranges::find_if(*addresses, [&](const net::Address& one) {
      net::ConnectOptions how;
      how.from = from;
      return net::datagram_socket_for(one, how).has_value();
    });
    return routed == addresses->end() ? addresses->front() : *routed;
  }
  auto first =
      first_to_connect(*addresses, from, options.timeout > 0 ? options.timeout : kNever, stop);
  if (!first) {
    const std::string why = first.error().message();
    return failed(fmt::format("{}: {}{}", options.target, why,
                              why.contains("refused") ? " (start the server first)" : ""),
                  {}, 0);
  }
  return first;
}

}  // namespace wiremark::tools
