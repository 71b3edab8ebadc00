// Listening sockets and limits: what is taken over, what is refused, and what the errors say.
#include "net/socket.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "named_address.h"
#include "net/stop.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

std::string temporary_path() {
  return std::filesystem::temp_directory_path() /
         ("wiremark-socket-" + std::to_string(::getpid()) + ".socket");
}

}  // namespace

TEST_CASE("a port in use is an error that names it") {
  const auto first = listen_on(address("127.0.0.1:0"), {});
  REQUIRE(first);
  const Address taken = Address::of_socket(first->get()).value();
  const auto second = listen_on(taken, {});
  REQUIRE_FALSE(second);
  CHECK(second.error().code == EADDRINUSE);
  CHECK(second.error().message().find(taken.to_string()) != std::string::npos);
  CHECK_FALSE(require_free(taken));
}

TEST_CASE("a shared port is still noticed by require_free") {
  ListenOptions shared;
  shared.share_port = true;
  const auto first = listen_on(address("127.0.0.1:0"), shared);
  REQUIRE(first);
  const Address taken = Address::of_socket(first->get()).value();
  CHECK(listen_on(taken, shared));
  CHECK_FALSE(require_free(taken));
  CHECK(require_free(address("127.0.0.1:0")));
}

TEST_CASE("a server listens at what its text names") {
  const auto all = addresses_to_listen_at("localhost:7007");
  REQUIRE(all);
  CHECK(all->front().is_loopback());
  // One that no interface has is an error of its own, if there is no other.
  CHECK(addresses_to_listen_at("192.0.2.1:7007")->size() == 1);
  CHECK_FALSE(addresses_to_listen_at("localhost"));
}

TEST_CASE("a UDP port in use is an error, and its owner shares it only when asked") {
  const auto first = bind_on(address("udp:127.0.0.1:0"), {});
  REQUIRE(first);
  const Address taken = Address::of_socket(first->get()).value();
  CHECK(taken.is_udp());
  CHECK_FALSE(bind_on(taken));
  CHECK_FALSE(require_free(taken));

  ListenOptions shared;
  shared.share_port = true;
  const auto one = bind_on(address("udp:[::1]:0"), shared);
  REQUIRE(one);
  CHECK(bind_on(Address::of_socket(one->get()).value(), shared));
}

TEST_CASE("datagrams that the kernel drops are all counted") {
  ListenOptions small;
  small.receive_buffer = 4'096;
  const auto listener = bind_on(address("udp:127.0.0.1:0"), small);
  REQUIRE(listener);
  const Address to = Address::of_socket(listener->get()).value();
  const auto sender = datagram_socket_for(to);
  REQUIRE(sender);
  constexpr std::uint64_t kSent = 1'000;
  for (std::uint64_t i = 0; i < kSent; ++i) REQUIRE(::send(sender->get(), &i, sizeof i, 0) > 0);
  std::uint64_t received = 0, datagram;
  while (::recv(listener->get(), &datagram, sizeof datagram, 0) > 0) ++received;
  CHECK(received > 0);
  CHECK(received < kSent);
  CHECK(drops_of(listener->get()) == kSent - received);
  CHECK(drops_of(-1) == 0);
}

TEST_CASE("streams and datagrams do not take one another's addresses") {
  const Address stream = address("127.0.0.1:1"), datagram = address("udp:127.0.0.1:1");
  for (const auto& socket :
       {listen_on(datagram), socket_for(datagram), bind_on(stream), datagram_socket_for(stream)}) {
    REQUIRE_FALSE(socket);
    CHECK(socket.error().code == EPROTOTYPE);
  }
}

TEST_CASE("a listener that is shared accepts for all who have it") {
  const Address path = address("unix:" + temporary_path());
  const auto first = listen_on(path);
  REQUIRE(first);
  ListenOptions shared;
  shared.listener = first->get();
  const auto second = listen_on(path, shared);
  REQUIRE(second);
  CHECK(second->get() != first->get());
  CHECK(Address::of_socket(second->get()).value().path() == path.path());
  const auto client = socket_for(path);
  REQUIRE(::connect(client->get(), path.data(), path.size()) == 0);
  CHECK(Fd(::accept(second->get(), nullptr, nullptr)));
  std::filesystem::remove(path.path());
}

TEST_CASE("a Unix path left by a dead process is taken over") {
  const Address path = address("unix:" + temporary_path());
  CHECK(listen_on(path, {}));  // Closed at once; its file stays.
  const auto listener = listen_on(path, {});
  CHECK(listener);
  CHECK_FALSE(listen_on(path, {}));  // Somebody listens now.
  std::filesystem::remove(path.path());
}

TEST_CASE("a file that is no socket is never removed") {
  const std::string path = temporary_path();
  std::ofstream(path) << "precious";
  const auto listener = listen_on(address("unix:" + path), {});
  REQUIRE_FALSE(listener);
  CHECK(listener.error().code == EADDRINUSE);
  CHECK(std::filesystem::is_regular_file(path));
  std::filesystem::remove(path);
}

TEST_CASE("the kernel counts the segments of both ends of a TCP connection, and of nothing else") {
  const auto listener = listen_on(address("127.0.0.1:0"), {});
  REQUIRE(listener);
  const Address to = Address::of_socket(listener->get()).value();
  const Fd client(::socket(AF_INET, SOCK_STREAM, 0));
  REQUIRE(::connect(client.get(), to.data(), to.size()) == 0);
  const Fd server(::accept(listener->get(), nullptr, nullptr));
  REQUIRE(server);
  const Segments before = segments_of(client.get()).value();
  CHECK(before.data_out == 0);
  // More than one segment of the loopback's 64 KiB.
  const std::string much(300'000, 'x');
  std::string got(much.size(), ' ');
  std::size_t sent = 0, received = 0;
  while (received < much.size()) {
    const ssize_t out =
        ::send(client.get(), much.data() + sent, much.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (out > 0) sent += static_cast<std::size_t>(out);
    const ssize_t in = ::recv(server.get(), got.data(), got.size() - received, 0);
    REQUIRE(in > 0);
    received += static_cast<std::size_t>(in);
  }
  const Segments after = segments_of(client.get()).value();
  const Segments other = segments_of(server.get()).value();
  CHECK(after.data_out >= 5);
  CHECK(after.data_out == other.data_in);
  CHECK(after.out >= after.data_out);
  CHECK(after.in > before.in);  // Acknowledgements.
  CHECK(after.data_in == 0);
  int pair[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const Fd one(pair[0]), two(pair[1]);
  CHECK_FALSE(segments_of(one.get()));
  CHECK_FALSE(segments_of(-1));
}

TEST_CASE("too few descriptors is an error that names the limit") {
  const auto enough = require_descriptors(10);
  REQUIRE(enough);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(*enough == limit.rlim_cur);
  CHECK(limit.rlim_cur == limit.rlim_max);
  const auto never = require_descriptors(*enough + 1);
  REQUIRE_FALSE(never);
  CHECK(never.error().message().find(std::to_string(limit.rlim_max)) != std::string::npos);
  CHECK(never.error().message().find("ulimit") != std::string::npos);
}

TEST_CASE("the table of descriptors has room for all that were asked for") {
  constexpr std::size_t kNeeded = 3000;
  REQUIRE(require_descriptors(kNeeded));
  std::ifstream status("/proc/self/status");  // proc_pid_status(5)
  std::string line;
  while (std::getline(status, line) && !line.starts_with("FDSize:")) continue;
  CHECK(std::stoul(line.substr(7)) >= kNeeded);
}

TEST_CASE("a source that this machine does not have is an error with the fix") {
  const Address nowhere = Address::parse_host("192.0.2.1").value();
  const auto socket = socket_for(address("127.0.0.1:1"), {{}, &nowhere});
  REQUIRE_FALSE(socket);
  CHECK(socket.error().code == EADDRNOTAVAIL);
  CHECK(socket.error().message().find("192.0.2.1") != std::string::npos);
  CHECK(socket.error().message().find("ip addr") != std::string::npos);
}

TEST_CASE("an address that cannot be bound is an error with the fix") {
  const std::string path = temporary_path();
  const auto first = listen_on(address("unix:" + path));
  REQUIRE(first);
  const auto port = listen_on(address("127.0.0.1:0"));
  REQUIRE(port);
  struct Row {
    std::string where, fix;
  };
  for (const auto& [where, fix] :
       {Row{"unix:" + path, "take another path"}, Row{"unix:/nonexistent/path", "folder"},
        Row{Address::of_socket(port->get())->to_string(), "take port 0"},
        Row{"192.0.2.1:0", "ip addr"}, Row{"udp:192.0.2.1:0", "ip addr"}}) {
    CAPTURE(where);
    const Address at = address(where);
    const auto socket = at.is_udp() ? bind_on(at) : listen_on(at);
    REQUIRE_FALSE(socket);
    CHECK(socket.error().message().find(fix) != std::string::npos);
  }
  std::filesystem::remove(path);
}

TEST_CASE("where there is no descriptor left, it is said which limit to raise") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  std::vector<Fd> all;
  const rlimit few{.rlim_cur = 30, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  while (all.empty() || all.back()) all.emplace_back(::dup(0));
  const Stop stop;
  const auto usable = stop.usable();
  const auto socket = socket_for(address("127.0.0.1:1"));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(usable);
  CHECK(usable.error().message() == "eventfd (raise 'ulimit -n'): Too many open files");
  REQUIRE_FALSE(socket);
  CHECK(socket.error().message().find("raise 'ulimit -n'") != std::string::npos);
  const Stop later;
  CHECK(later.usable());
}
