// The local addresses that the connections of a run come from.
#include "net/sources.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

#include "base/list.h"

namespace wiremark::net {

namespace {

constexpr std::size_t kSourcesMax = 65'536;
constexpr const char* kPortRange = "net.ipv4.ip_local_port_range";

std::unexpected<Error> not_sources(std::string_view text, std::string_view why) {
  return failed("source addresses '" + std::string(text) + "'", std::string(why), 0);
}

}  // namespace

Result<Sources> Sources::parse(std::string_view list) {
  Sources sources;
  for (const std::string_view range : split_list(list)) {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = Address::parse_host(range.substr(0, dash));
    if (!first) return std::unexpected(first.error());
    const auto last = dash == range.size() ? first : Address::parse_host(range.substr(dash + 1));
    if (!last) return std::unexpected(last.error());
    const auto steps = first->steps_to(*last);
    if (!steps) return not_sources(range, "is not a range from a lower to a higher address");
    if (!sources.hosts_.empty() && sources.hosts_[0].family() != first->family())
      return not_sources(list, "mixes IPv4 and IPv6");
    if (sources.hosts_.size() + *steps >= kSourcesMax)
      return not_sources(list, "has over 65536 addresses");
    for (std::uint64_t i = 0; i <= *steps; ++i) sources.hosts_.push_back(first->next(i));
  }
  return sources;
}

Sources Sources::spread(const Address& to, std::size_t connections) {
  Sources sources;
  const std::size_t ports = local_ports();
  if (to.family() != AF_INET || !to.is_loopback() || connections <= ports / 2) return sources;
  // 127.A.B.1 and up with the process id in A and B; 127.0 is left to what users choose by hand.
  const auto id = static_cast<std::uint64_t>(::getpid()) % (254 * 256);
  const Address first = Address::parse_host("127.1.0.1").value().next(id * 256);
  const std::size_t quarter = std::max<std::size_t>(1, ports / 4);
  const std::size_t count = std::min((connections + quarter - 1) / quarter, kSourcesMax);
  for (std::size_t i = 0; i < count; ++i) sources.hosts_.push_back(first.next(i));
  return sources;
}

Result<> Sources::require_ports(const Address& to, std::size_t connections) const {
  if (!hosts_.empty() && hosts_[0].family() != to.family())
    return not_sources(to_string(), "are not of the family of " + to.to_string());
  if (to.is_unix()) return {};
  const std::size_t hosts = std::max<std::size_t>(1, hosts_.size());
  const std::size_t ports = local_ports();
  if (connections <= hosts * ports) return {};
  return failed(std::to_string(connections) + " connections need as many local ports, and " +
                    kPortRange + " has " + std::to_string(ports) + " for each of " +
                    std::to_string(hosts) + " source address" + (hosts == 1 ? "" : "es") +
                    "; add addresses with --source-ip, or widen the range with sysctl",
                {}, 0);
}

std::string Sources::to_string() const {
  if (hosts_.empty()) return "kernel's choice";
  if (hosts_.size() == 1) return hosts_[0].host();
  return hosts_.front().host() + " to " + hosts_.back().host() + " (" +
         std::to_string(hosts_.size()) + ")";
}

std::size_t local_ports() {
  std::size_t first = 32'768, last = 60'999;  // The kernel's own default.
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first >> last;
  return last < first ? 0 : last - first + 1;
}

}  // namespace wiremark::net
