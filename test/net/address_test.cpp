// Addresses as users write them, good and bad.
#include "net/address.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "net/socket.h"

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("good addresses and how they print") {
  struct Row {
    std::string text, prints;
    int family;
    int port;
    bool loopback;
  };
  const std::string longest(107, 'p');
  for (const Row& row : {
           Row{"7007", "127.0.0.1:7007", AF_INET, 7007, true},
           Row{":7007", "127.0.0.1:7007", AF_INET, 7007, true},
           Row{"0", "127.0.0.1:0", AF_INET, 0, true},
           Row{"0.0.0.0:65535", "0.0.0.0:65535", AF_INET, 65535, false},
           Row{"127.1.2.3:80", "127.1.2.3:80", AF_INET, 80, true},
           Row{"10.0.0.1:80", "10.0.0.1:80", AF_INET, 80, false},
           Row{"[::1]:80", "[::1]:80", AF_INET6, 80, true},
           Row{"[::]:80", "[::]:80", AF_INET6, 80, false},
           Row{"[2001:db8::5]:1", "[2001:db8::5]:1", AF_INET6, 1, false},
           Row{"udp:7007", "udp:127.0.0.1:7007", AF_INET, 7007, true},
           Row{"udp::7007", "udp:127.0.0.1:7007", AF_INET, 7007, true},
           Row{"udp:10.0.0.1:80", "udp:10.0.0.1:80", AF_INET, 80, false},
           Row{"udp:[::1]:80", "udp:[::1]:80", AF_INET6, 80, true},
           Row{"unix:udp:80", "unix:udp:80", AF_UNIX, 0, true},
           Row{"unix:/tmp/socket", "unix:/tmp/socket", AF_UNIX, 0, true},
           Row{"unix:relative:80", "unix:relative:80", AF_UNIX, 0, true},
           Row{"unix:" + longest, "unix:" + longest, AF_UNIX, 0, true},
       }) {
    CAPTURE(row.text);
    const auto address = Address::parse(row.text);
    REQUIRE(address);
    CHECK(address->to_string() == row.prints);
    CHECK(address->family() == row.family);
    CHECK(address->port() == row.port);
    CHECK(address->is_loopback() == row.loopback);
    CHECK(address->is_unix() == (row.family == AF_UNIX));
    CHECK(address->is_udp() == row.text.starts_with("udp:"));
    if (address->is_unix()) CHECK("unix:" + address->path() == row.text);
  }
}

TEST_CASE("a name is looked up") {
  const auto address = Address::parse("localhost:7007");
  REQUIRE(address);
  CHECK(address->port() == 7007);
  CHECK(address->is_loopback());
}

TEST_CASE("a family chooses among the addresses of a name") {
  for (const int family : {AF_UNSPEC, AF_INET}) {
    const auto all = Address::resolve("localhost:7007", family);
    REQUIRE(all);
    CHECK(all->front().is_loopback());
    for (const Address& one : *all) {
      CHECK(std::ranges::count(*all, one) == 1);
      if (family == AF_INET) CHECK(one.family() == AF_INET);
    }
  }
  CHECK(Address::resolve(":7007", AF_INET6)->front().to_string() == "[::1]:7007");
  CHECK(Address::resolve("udp:7007", AF_INET6)->front().to_string() == "udp:[::1]:7007");
  CHECK(Address::resolve(":7007", AF_INET)->front().to_string() == "127.0.0.1:7007");
  for (const auto& [text, family, reason] :
       {std::tuple("[::1]:80", AF_INET, "of IPv4, as asked"),
        std::tuple("127.0.0.1:80", AF_INET6, "of IPv6, as asked"),
        std::tuple("unix:/tmp/socket", AF_INET, "neither of IPv4 nor of IPv6")}) {
    CAPTURE(text);
    const auto none = Address::resolve(text, family);
    REQUIRE_FALSE(none);
    CHECK(none.error().message().find(reason) != std::string::npos);
  }
}

TEST_CASE("addresses are equal with their port and kind") {
  const auto address = [](const char* text) { return Address::parse(text).value(); };
  CHECK(address("127.0.0.1:80") == address(":80"));
  CHECK(address("[::1]:80") == address("[0:0::1]:80"));
  CHECK(address("unix:/a") == address("unix:/a"));
  for (const char* other : {":81", "127.0.0.2:80", "udp::80", "[::ffff:127.0.0.1]:80", "unix:/a"}) {
    CAPTURE(other);
    CHECK(address(other) != address(":80"));
  }
}

TEST_CASE("bad addresses are refused with their text and the reason") {
  struct Row {
    std::string text, reason;
  };
  for (const Row& row : {
           Row{"", "port"},
           Row{"udp:", "port"},
           Row{"udp:[::1", "']:PORT'"},
           Row{"udp:::1:80", "brackets"},
           Row{"udp:unix:/tmp/socket", "port"},
           Row{":", "port"},
           Row{"localhost", "port"},
           Row{"127.0.0.1:", "port"},
           Row{"127.0.0.1:65536", "port"},
           Row{"127.0.0.1:-1", "port"},
           Row{"127.0.0.1:+1", "port"},
           Row{"127.0.0.1:80x", "port"},
           Row{"127.0.0.1: 80", "port"},
           Row{"99999999999999999999", "port"},
           Row{"::1:80", "brackets"},
           Row{"http://localhost:80/", "is a URL"},
           Row{"udp:tcp://[::1]:80", "is a URL"},
           Row{"[::1]", "']:PORT'"},
           Row{"[::1:80", "']:PORT'"},
           Row{"[::1]80", "']:PORT'"},
           Row{"[::1]:", "port"},
           Row{"[]:80", "between its brackets"},
           Row{"unix:", "1 to 107"},
           Row{"unix:" + std::string(108, 'p'), "1 to 107"},
       }) {
    CAPTURE(row.text);
    const auto address = Address::parse(row.text);
    REQUIRE_FALSE(address);
    CHECK(address.error().message().find("'" + row.text + "'") != std::string::npos);
    CHECK(address.error().message().find(row.reason) != std::string::npos);
  }
}

TEST_CASE("the kernel's choice of a port can be read back") {
  const auto any = Address::parse("127.0.0.1:0");
  const auto socket = listen_on(*any, {});
  REQUIRE(socket);
  const auto bound = Address::of_socket(socket->get());
  REQUIRE(bound);
  CHECK(bound->port() != 0);
  CHECK_FALSE(Address::of_socket(-1));
}

TEST_CASE("hosts count up over all their bytes") {
  struct Row {
    std::string host, next;
    std::uint64_t steps;
  };
  for (const Row& row : {
           Row{"127.0.0.2", "127.0.0.9", 7},
           Row{"10.0.0.0", "10.0.0.0", 0},
           Row{"10.0.255.255", "10.1.0.0", 1},
           Row{"10.0.0.250", "10.1.0.4", 65'290},
           Row{"0.0.0.0", "255.255.255.255", 0xffff'ffff},
           Row{"fd00::ffff", "fd00::1:0", 1},
           Row{"fd00::ff", "fd00::1:2", 65'283},
       }) {
    CAPTURE(row.host);
    const auto first = Address::parse_host(row.host), last = Address::parse_host(row.next);
    REQUIRE(first);
    REQUIRE(last);
    CHECK(first->host() == row.host);
    CHECK(first->port() == 0);
    CHECK(first->next(row.steps).host() == row.next);
    CHECK(first->steps_to(*last) == row.steps);
    if (row.steps > 0) CHECK_FALSE(last->steps_to(*first));
  }
  const auto host = [](const char* text) { return Address::parse_host(text).value(); };
  CHECK_FALSE(host("127.0.0.1").steps_to(host("::1")));
  CHECK_FALSE(host("fd00::").steps_to(host("fd01::")));  // Over 2^32.
  for (const char* text : {"", "localhost", "1.2.3", "1.2.3.4:5", "[::1]", "1.2.3.4 "}) {
    CAPTURE(text);
    CHECK_FALSE(Address::parse_host(text));
  }
}
