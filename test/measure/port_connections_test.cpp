// Connections to a server of this process, on loopback: those to its address and port, how much
// went over each, and what the server has still to do about them.
#include "measure/port_connections.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/fd.h"

using namespace wiremark;
using namespace wiremark::measure;

namespace {

sockaddr_in address_of(const char* host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

class Server {
 public:
  explicit Server(const char* host, std::uint16_t port = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = address_of(host, port);
    REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(fd_.get(), 8) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }

  std::uint16_t port() const { return port_; }
  TcpPort at(const char* host) const {
    TcpPort at{.port = port_};
    at.host[10] = at.host[11] = 0xff;
    ::inet_pton(AF_INET, host, at.host.data() + 12);
    return at;
  }
  Fd accept() const {
    Fd fd(::accept(fd_.get(), nullptr, nullptr));
    REQUIRE(fd);
    return fd;
  }

 private:
  Fd fd_;
  std::uint16_t port_ = 0;
};

Fd connect_to(const char* host, std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = address_of(host, port);
  REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void pass(const Fd& from, const Fd& to) {
  std::array<char, 3> bytes{};
  REQUIRE(::send(from.get(), bytes.data(), bytes.size(), 0) == 3);
  REQUIRE(::recv(to.get(), bytes.data(), bytes.size(), MSG_WAITALL) == 3);
}

}  // namespace

TEST_CASE("each connection to a port is told, with the segments that carried data, both ways") {
  const Server server("127.0.0.1");
  const auto none = connections_at(server.at("127.0.0.1"));
  REQUIRE(none);
  CHECK(none->empty());

  const Fd busy = connect_to("127.0.0.1", server.port());
  const Fd its_end = server.accept();
  const Fd idle = connect_to("127.0.0.1", server.port());
  const Fd idle_end = server.accept();
  for (int i = 0; i < 5; ++i) pass(busy, its_end);
  for (int i = 0; i < 2; ++i) pass(its_end, busy);
  const auto two = connections_at(server.at("127.0.0.1"));
  REQUIRE(two);
  REQUIRE(two->size() == 2);
  const std::uint64_t one = two->begin()->second, other = two->rbegin()->second;
  CHECK(std::min(one, other) == 0);
  CHECK(std::max(one, other) == 7);
}

TEST_CASE("of two servers with one port each has its own, and one on all addresses has all") {
  const Server first("127.0.0.1");
  const Server second("127.0.0.2", first.port());
  const Fd to_second = connect_to("127.0.0.2", first.port());
  const Fd its_end = second.accept();
  CHECK(connections_at(first.at("127.0.0.1"))->empty());
  CHECK(connections_at(second.at("127.0.0.2"))->size() == 1);

  const Server everywhere("0.0.0.0");
  const Fd client = connect_to("127.0.0.3", everywhere.port());
  const Fd client_end = everywhere.accept();
  CHECK(connections_at(everywhere.at("127.0.0.1"))->size() == 1);
}

TEST_CASE("a connection is unfinished until it is accepted, and from its client's end to its own") {
  const Server server("127.0.0.1");
  const Server other("127.0.0.2", server.port());
  // Loopback may deliver a little after the call that sends.
  const auto comes_to = [&](std::size_t unaccepted, std::size_t unclosed) {
    const Nanoseconds end = now_ns() + 30 * kSecond;
    for (;;) {
      const auto found = unfinished_at(server.at("127.0.0.1"));
      REQUIRE(found);
      if (found->unaccepted == unaccepted && found->unclosed == unclosed) return true;
      if (now_ns() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  CHECK(comes_to(0, 0));
  const Fd to_other = connect_to("127.0.0.2", other.port());
  Fd one = connect_to("127.0.0.1", server.port());
  const Fd two = connect_to("127.0.0.1", server.port());
  CHECK(comes_to(2, 0));
  Fd end_of_one = server.accept();
  CHECK(comes_to(1, 0));
  const Fd end_of_two = server.accept();
  CHECK(comes_to(0, 0));
  one = Fd();
  CHECK(comes_to(0, 1));
  end_of_one = Fd();
  CHECK(comes_to(0, 0));
}
