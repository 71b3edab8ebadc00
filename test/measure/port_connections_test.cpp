// Servers of this process, on loopback: which of them a connection comes to, who is connected, how
// much went over each connection, and what the server has still to do about them.
#include "measure/port_connections.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "inode.h"
#include "net/address.h"

using namespace wiremark;
using namespace wiremark::measure;

namespace {

bool is_ipv6(std::string_view host) { return host.find(':') != host.npos; }

net::Address address_of(const std::string& host, std::uint16_t port) {
  const std::string written = is_ipv6(host) ? "[" + host + "]" : host;
  return net::Address::parse(written + ":" + std::to_string(port)).value();
}

HostPort at(const std::string& host, std::uint16_t port) {
  HostPort at{.port = port};
  const std::string six = is_ipv6(host) ? host : "::ffff:" + host;
  REQUIRE(::inet_pton(AF_INET6, six.c_str(), at.host.data()) == 1);
  return at;
}

class Server {
 public:
  explicit Server(const std::string& host, std::uint16_t port = 0, int ipv6_only = 0) {
    const net::Address address = address_of(host, port);
    fd_ = Fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    REQUIRE(::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0);
    if (address.family() == AF_INET6)
      REQUIRE(::setsockopt(fd_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &ipv6_only, sizeof ipv6_only) ==
              0);
    REQUIRE(::bind(fd_.get(), address.data(), address.size()) == 0);
    REQUIRE(::listen(fd_.get(), 8) == 0);
    port_ = net::Address::of_socket(fd_.get()).value().port();
  }

  std::uint16_t port() const { return port_; }
  HostPort at(const char* host) const { return ::at(host, port_); }
  const Fd& fd() const { return fd_; }
  std::uint64_t inode() const { return inode_of(fd_); }
  Fd accept() const {
    Fd fd(::accept(fd_.get(), nullptr, nullptr));
    REQUIRE(fd);
    return fd;
  }

 private:
  Fd fd_;
  std::uint16_t port_ = 0;
};

Fd connect_to(const std::string& host, std::uint16_t port) {
  const net::Address address = address_of(host, port);
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(fd.get(), address.data(), address.size()) == 0);
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

bool has_ipv6() {
  const net::Address address = address_of("::1", 0);
  const Fd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return fd && ::bind(fd.get(), address.data(), address.size()) == 0;
}

// Which of `servers` a connection to `host` comes to, by its inode.
std::uint64_t taker(const std::vector<Server>& servers, const std::string& host) {
  const Fd client = connect_to(host, servers.front().port());
  std::vector<pollfd> asked;
  for (const Server& one : servers) asked.push_back({one.fd().get(), POLLIN, 0});
  REQUIRE(::poll(asked.data(), asked.size(), 30'000) == 1);
  const auto came = std::ranges::find_if(asked, [](const pollfd& one) { return one.revents != 0; });
  const Server& server = servers[static_cast<std::size_t>(came - asked.begin())];
  server.accept();
  return server.inode();
}

void pass(const Fd& from, const Fd& to) {
  std::array<char, 3> bytes{};
  REQUIRE(::send(from.get(), bytes.data(), bytes.size(), 0) == 3);
  REQUIRE(::recv(to.get(), bytes.data(), bytes.size(), MSG_WAITALL) == 3);
}

}  // namespace

TEST_CASE("those who listen for an address are those that a connection to it comes to") {
  const bool six = has_ipv6();
  if (!six) MESSAGE("not tried with IPv6: this machine has none");
  std::vector<Server> servers;
  for (const std::string host : {"::", "0.0.0.0", "::ffff:127.0.0.1", "127.0.0.1"}) {
    if (!six && is_ipv6(host)) continue;
    CAPTURE(host);
    // The first one keeps the port from all others.
    servers.emplace_back(host, servers.empty() ? 0 : servers.front().port());
    for (const std::string to : {"127.0.0.1", "127.0.0.2", "::1"}) {
      if (!six && is_ipv6(to)) continue;
      CAPTURE(to);
      const auto told = listeners_at(at(to, servers.front().port()));
      REQUIRE(told);
      REQUIRE(told->size() == 1);
      CHECK(told->front().inode == taker(servers, to));
      CHECK(told->front().user == ::geteuid());
    }
  }
}

TEST_CASE("who listens for IPv6 only does not listen for IPv4") {
  if (!has_ipv6()) {
    MESSAGE("not tried: this machine has no IPv6");
    return;
  }
  const Server server("::", 0, 1);
  CHECK(listeners_at(server.at("127.0.0.1"))->empty());
  REQUIRE(listeners_at(server.at("::1"))->size() == 1);
  CHECK(listeners_at(server.at("::1"))->front().inode == server.inode());
}

TEST_CASE("all who share an address and port listen for it, and nobody else does") {
  const Server first("127.0.0.1");
  const Server second("127.0.0.1", first.port());
  const Server other("127.0.0.2", first.port());
  const auto told = listeners_at(first.at("127.0.0.1"));
  REQUIRE(told);
  std::vector<std::uint64_t> inodes;
  for (const Listener& one : *told) inodes.push_back(one.inode);
  std::ranges::sort(inodes);
  std::vector<std::uint64_t> expected{first.inode(), second.inode()};
  std::ranges::sort(expected);
  CHECK(inodes == expected);
  CHECK(listeners_at(first.at("127.0.0.3"))->empty());
}

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
  const std::uint64_t one = two->front().segments.value(), other = two->back().segments.value();
  CHECK(std::min(one, other) == 0);
  CHECK(std::max(one, other) == 7);
}

TEST_CASE("of each connection is told whose it is, and by which socket the server has it") {
  const Server server("127.0.0.1");
  const auto seen = [&] { return connections_at(server.at("127.0.0.1")).value(); };
  Fd ours = connect_to("127.0.0.1", server.port());
  REQUIRE(seen().size() == 1);
  CHECK(seen().front().client == Client::ours);
  CHECK(seen().front().socket.inode == 0);
  Fd its_end = server.accept();
  CHECK(seen().front().socket.inode == inode_of(its_end));

  // What is not read keeps the end of the connection from the server.
  const std::vector<char> much(1 << 20);
  while (::send(ours.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }
  ours = Fd();
  REQUIRE(seen().size() == 1);
  CHECK(seen().front().client == Client::gone);
  its_end = Fd();

  const pid_t child = ::fork();
  if (child == 0) {
    const Fd other = connect_to("127.0.0.1", server.port());
    char byte = 0;
    ::_exit(static_cast<int>(::recv(other.get(), &byte, 1, 0)));
  }
  REQUIRE(child > 0);
  const Fd end_of_other = server.accept();
  REQUIRE(seen().size() == 1);
  CHECK(seen().front().client == Client::other);
  REQUIRE(::shutdown(end_of_other.get(), SHUT_RDWR) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("sockets of UDP that are connected to a server are its clients") {
  const net::Address address = address_of("127.0.0.1", 0);
  const Fd server(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(server.get(), address.data(), address.size()) == 0);
  const auto to = net::Address::of_socket(server.get()).value();
  const HostPort where = at("127.0.0.1", to.port());
  CHECK(datagram_clients_of(where)->empty());
  const Fd client(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(client.get(), to.data(), to.size()) == 0);
  REQUIRE(datagram_clients_of(where)->size() == 1);
  CHECK(datagram_clients_of(where)->front().client == Client::ours);
  CHECK(datagram_clients_of(where)->front().socket.inode == 0);
  CHECK(datagram_clients_of(at("127.0.0.2", to.port()))->empty());

  const std::uint64_t before = datagrams_received().value();
  for (int i = 0; i < 5; ++i) pass(client, server);
  CHECK(datagrams_received().value() >= before + 5);  // Others may receive some meanwhile.

  const auto from = net::Address::of_socket(client.get()).value();
  REQUIRE(::connect(server.get(), from.data(), from.size()) == 0);
  CHECK(datagram_clients_of(where)->front().socket.inode == inode_of(server));
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
