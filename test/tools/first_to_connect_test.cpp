// Which of several addresses takes a connection: those that refuse, and those that are silent.
#include "netload/first_to_connect.h"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "net/socket.h"

using namespace wiremark;
using namespace wiremark::tools;
using net::Address;

namespace {

Address address(const std::string& text) { return Address::parse(text).value(); }

/// A port at which somebody listens, on one of the addresses of loopback.
class Listening {
 public:
  explicit Listening(const char* host) : fd_(*net::listen_on(address(std::string(host) + ":0"))) {}

  Address at() const { return Address::of_socket(fd_.get()).value(); }
  /// The same port of another host, at which nobody listens.
  Address beside(const std::string& host) const {
    return address(host + ":" + std::to_string(at().port()));
  }

 private:
  Fd fd_;
};

/// A port that answers to nobody: its filter (socket(7): SO_ATTACH_FILTER) drops what comes.
class Silent {
 public:
  Silent() : fd_(*net::listen_on(address("127.0.0.1:0"))) {
    sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    const sock_fprog program{.len = 1, .filter = &nothing};
    REQUIRE(::setsockopt(fd_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0);
  }

  Address at() const { return Address::of_socket(fd_.get()).value(); }

 private:
  Fd fd_;
};

Result<Address> chosen(const std::vector<Address>& addresses, Nanoseconds patience = kNever,
                       const Address* from = nullptr) {
  return first_to_connect(addresses, from, patience, net::Stop());
}

}  // namespace

TEST_CASE("of several addresses that take a connection the first is taken") {
  const Listening first("127.0.0.1"), second("127.0.0.2");
  CHECK(*chosen({first.at(), second.at()}) == first.at());
  CHECK(*chosen({second.at(), first.at()}) == second.at());
}

TEST_CASE("an address that refuses makes way for the next") {
  const Listening only("127.0.0.1");
  CHECK(*chosen({only.beside("127.0.0.2"), only.beside("127.0.0.3"), only.at()}) == only.at());
}

TEST_CASE("an address that does not answer makes way for the next, and stays awaited") {
  const Silent silent;
  const Listening only("127.0.0.1");
  CHECK(*chosen({silent.at(), only.at()}) == only.at());
  CHECK(*chosen({silent.at(), only.beside("127.0.0.2"), only.at()}) == only.at());
}

TEST_CASE("where none takes a connection the error tells of each") {
  const Listening only("127.0.0.1");
  const Silent silent;
  const Address refused = only.beside("127.0.0.2");
  const auto none = chosen({refused, silent.at()}, kMillisecond);
  REQUIRE_FALSE(none);
  CHECK(none.error().message() == "no connection opened: " + refused.to_string() +
                                      ": Connection refused, " + silent.at().to_string() +
                                      ": Connection timed out");
}

TEST_CASE("connections come from the source that is named") {
  const Listening only("127.0.0.1");
  const Address from = Address::parse_host("127.0.0.9").value();
  CHECK(*chosen({only.at()}, kNever, &from) == only.at());
  const Address foreign = Address::parse_host("192.0.2.1").value();
  CHECK_FALSE(chosen({only.at()}, kNever, &foreign));
}

TEST_CASE("a request to end is heard at once") {
  const Silent silent;
  net::Stop stop;
  stop.request();
  CHECK(*first_to_connect(std::vector{silent.at()}, nullptr, kNever, stop) == silent.at());
}
