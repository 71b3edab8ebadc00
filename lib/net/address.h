// Where a socket listens or connects to: IPv4, IPv6 or a Unix path; of streams, or of UDP. Stable.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wiremark::net {

/// A socket address of any family, and whether it is one of UDP; a plain value.
class Address {
 public:
  /// Parses "HOST:PORT", ":PORT" or "PORT" (127.0.0.1), "[::1]:PORT", each of them with "udp:" in
  /// front for datagrams, and "unix:PATH". A host name has one or more addresses, each given once,
  /// in the order of getaddrinfo(3). `family` is AF_INET or AF_INET6 where only those are wanted,
  /// and then ":PORT" is of 127.0.0.1 or of ::1. Errors: not an address, port over 65,535, path
  /// longer than sun_path (unix(7): 107 bytes), name not found, nothing of that family.
  static Result<std::vector<Address>> resolve(std::string_view text, int family = AF_UNSPEC);

  /// The first of resolve().
  static Result<Address> parse(std::string_view text);

  /// Parses a numeric IPv4 or IPv6 host alone, without brackets; the port is 0.
  static Result<Address> parse_host(std::string_view text);

  /// Whether parse() could read `text` if every name were known: the form alone, nothing resolved.
  static Result<> check_form(std::string_view text);

  /// The address a bound socket has (getsockname(2)): tells the port the kernel picked for port 0.
  static Result<Address> of_socket(int fd);

  int family() const noexcept { return storage_.ss_family; }
  bool is_udp() const noexcept { return udp_; }
  bool is_unix() const noexcept { return storage_.ss_family == AF_UNIX; }
  const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const noexcept { return size_; }

  /// The port, 0 for a Unix path.
  std::uint16_t port() const noexcept;
  /// The path of a Unix address, empty otherwise.
  std::string path() const;
  /// True when what is sent there never leaves this machine: 127.0.0.0/8, ::1 or a Unix path.
  bool is_loopback() const noexcept;
  /// True for 0.0.0.0 and [::]: all addresses of this machine.
  bool is_any() const noexcept;
  /// The numeric host, empty for a Unix path.
  std::string host() const;
  /// The address that many hosts further on, of the same family and with the same port.
  Address next(std::uint64_t steps) const noexcept;
  /// Steps of next() from this host to `last`; none when it is of another family, lower, or over
  /// 2^32 steps away.
  std::optional<std::uint64_t> steps_to(const Address& last) const noexcept;
  /// As parse() reads it, with a numeric host.
  std::string to_string() const;

  bool operator==(const Address& other) const noexcept;

 private:
  std::span<std::byte> host_bytes() noexcept;  // In network order; empty for a Unix path.

  sockaddr_storage storage_{};
  socklen_t size_ = 0;
  bool udp_ = false;
};

}  // namespace wiremark::net
