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

// Those that are of the family of `from`, if any is.
void keep_family(std::vector<net::Address>& addresses, const net::Address& from) {
  const auto unfit = [&](const net::Address& one) { return one.family() != from.family(); };
  if (!std::ranges::all_of(addresses, unfit)) std::erase_if(addresses, unfit);
}

}  // namespace

Result<net::Address> choose_address(const LoadOptions& options, const net::Stop& stop) {
  auto addresses = net::Address::resolve(options.target, options.family.family());
  if (!addresses) return std::unexpected(addresses.error());
  const net::Address* const from = options.sources.of(0);
  if (from) keep_family(*addresses, *from);
  if (addresses->size() == 1) return addresses->front();
  std::vector<net::Address> to_try;
  for (const net::Address& one : *addresses) {
    const bool is_here = is_of_this_machine(one);
    if (is_here && listeners_of(one).empty()) continue;
    if (is_here && to_try.empty()) return one;
    to_try.push_back(one);
  }
  if (to_try.size() == 1) return to_try.front();
  // A packet filter may send what comes to them elsewhere.
  if (to_try.empty()) to_try = *std::move(addresses);
  if (over_udp(options)) {
    const auto routed = std::ranges::find_if(to_try, [&](const net::Address& one) {
      net::ConnectOptions how;
      how.from = from;
      return net::datagram_socket_for(one, how).has_value();
    });
    return routed == to_try.end() ? to_try.front() : *routed;
  }
  auto first = first_to_connect(to_try, from, options.timeout > 0 ? options.timeout : kNever, stop);
  if (!first) {
    const std::string why = first.error().message();
    return failed(fmt::format("{}: {}{}", options.target, why,
                              why.contains("refused") ? " (start the server first)" : ""),
                  {}, 0);
  }
  return first;
}

}  // namespace wiremark::tools
