// Source addresses: lists as users write them, and the spread over loopback.
#include "net/sources.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>

#include "named_address.h"

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("lists and ranges are taken in turn") {
  const auto sources = Sources::parse("127.0.0.2-127.0.0.4,127.0.1.1");
  REQUIRE(sources);
  REQUIRE(sources->size() == 4);
  const char* hosts[] = {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.1.1"};
  for (std::uint64_t c = 0; c < 12; ++c) CHECK(sources->of(c)->host() == hosts[c % 4]);
  CHECK(sources->to_string() == "127.0.0.2 to 127.0.1.1 (4)");
  CHECK(Sources::parse("fd00::1-fd00::8")->size() == 8);
  CHECK(Sources::parse("10.0.0.7")->to_string() == "10.0.0.7");
  CHECK(Sources().of(3) == nullptr);
}

TEST_CASE("bad lists are refused with the reason") {
  struct Row {
    std::string text, reason;
  };
  for (const Row& row : {
           Row{"", "numeric"},
           Row{"127.0.0.1,", "numeric"},
           Row{"localhost", "numeric"},
           Row{"127.0.0.1:80", "numeric"},
           Row{"127.0.0.9-127.0.0.2", "lower"},
           Row{"127.0.0.1-::1", "lower"},
           Row{"127.0.0.1,::1", "mixes"},
           Row{"10.0.0.0-10.1.0.0", "65536"},
           Row{"10.0.0.0-10.0.255.255,10.1.0.0", "65536"},
       }) {
    CAPTURE(row.text);
    const auto sources = Sources::parse(row.text);
    REQUIRE_FALSE(sources);
    CHECK(sources.error().message().find(row.reason) != std::string::npos);
  }
  CHECK(Sources::parse("10.0.0.0-10.0.255.255")->size() == 65'536);
}

TEST_CASE("only many connections to IPv4 loopback are spread") {
  const std::size_t ports = local_ports();
  REQUIRE(ports > 0);
  CHECK(Sources::spread(address("127.0.0.1:80"), ports / 2).size() == 0);
  CHECK(Sources::spread(address("10.0.0.1:80"), 10 * ports).size() == 0);
  CHECK(Sources::spread(address("[::1]:80"), 10 * ports).size() == 0);
  CHECK(Sources::spread(address("unix:/tmp/none"), 10 * ports).size() == 0);
  for (const std::size_t connections : {ports / 2 + 1, ports, 2 * ports + 17, 5 * ports}) {
    const Sources sources = Sources::spread(address("127.0.0.1:80"), connections);
    CHECK(sources.size() * (ports / 4) >= connections);
    CHECK((sources.size() - 1) * (ports / 4) < connections);
    std::set<std::string> hosts;
    for (std::uint64_t c = 0; c < sources.size(); ++c) {
      CHECK(sources.of(c)->is_loopback());
      hosts.insert(sources.of(c)->host());
    }
    CHECK(hosts.size() == sources.size());
    CHECK(sources.require_ports(address("127.0.0.1:80"), connections));
  }
}

TEST_CASE("more connections than ports is an error with both fixes") {
  const std::size_t ports = local_ports();
  const auto two = Sources::parse("127.0.0.2-127.0.0.3");
  CHECK(two->require_ports(address("127.0.0.1:80"), 2 * ports));
  const auto missing = two->require_ports(address("127.0.0.1:80"), 2 * ports + 1);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message().find("--source-ip") != std::string::npos);
  CHECK(missing.error().message().find("ip_local_port_range") != std::string::npos);
  CHECK_FALSE(Sources().require_ports(address("[::1]:80"), ports + 1));
  CHECK(Sources().require_ports(address("unix:/tmp/none"), 10 * ports));
  CHECK_FALSE(two->require_ports(address("[::1]:80"), 1));  // Not of its family.
}
