// An echo of datagrams, and a socket of plain system calls that speaks to it.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <optional>
#include <string>
#include <vector>

#include "client.h"
#include "net/udp_message.h"
#include "server.h"

namespace wiremark::net {

/// Sends every datagram back, except those that begin with 'x'; for 'c' it sends a copy.
struct DatagramEcho : net::Echo {
  std::optional<Bytes> on_datagram(Bytes bytes) {
    ++datagrams;
    if (!bytes.empty() && bytes[0] == std::byte{'x'}) return std::nullopt;
    if (bytes.empty() || bytes[0] != std::byte{'c'}) return bytes;
    copy.assign(bytes.begin(), bytes.end());
    return Bytes(copy);
  }
  std::size_t datagrams = 0;
  std::vector<std::byte> copy;
};

/// A connected UDP socket of plain system calls; a wait ends after 20 s.
class Peer {
 public:
  explicit Peer(const Address& to) : fd_(::socket(to.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    const int room = 8 << 20;
    ::setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    ::setsockopt(fd(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    REQUIRE(::connect(fd(), to.data(), to.size()) == 0);
  }
  int fd() const { return fd_.get(); }
  bool send(const std::string& text) const {
    return ::send(fd(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }
  /// Waits a second for one.
  bool has_answer() const {
    pollfd watched{.fd = fd(), .events = POLLIN, .revents = 0};
    return ::poll(&watched, 1, 1'000) == 1;
  }
  /// "(nothing)" where none comes.
  std::string receive() const {
    std::string text(kDatagramRoom, '\0');
    const ssize_t size = uninterrupted([&] { return ::recv(fd(), text.data(), text.size(), 0); });
    if (size < 0) return "(nothing)";
    text.resize(static_cast<std::size_t>(size));
    return text;
  }

 private:
  Fd fd_;
};

inline Address with_host(const Address& address, const std::string& host) {
  return net::address("udp:" + host + ":" + std::to_string(address.port()));
}

/// The UDP socket of this process that is bound to `at`.
inline int socket_at(const Address& at) {
  for (int fd = 0; fd < 1'024; ++fd) {
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_DGRAM) continue;
    const auto own = Address::of_socket(fd);
    if (own && own->to_string() == at.to_string()) return fd;
  }
  FAIL("no socket is bound there");
  return -1;
}

}  // namespace wiremark::net
