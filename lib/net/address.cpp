// Where a socket listens or connects to: IPv4, IPv6 or a Unix path; of streams, or of UDP.
#include "net/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <ranges>

#include "base/number.h"

namespace wiremark::net {

namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::string_view kUdpPrefix = "udp:";

std::unexpected<Error> not_an_address(std::string_view text, std::string_view why) {
  return failed("address '" + std::string(text) + "'", std::string(why), 0);
}

struct HostPort {
  std::string host;  // Empty where none is named.
  std::string port;
};

Result<HostPort> split(std::string_view text, bool udp) {
  const std::string_view pair = udp ? text.substr(kUdpPrefix.size()) : text;
  std::string_view host;
  std::string_view port = pair;
  if (pair.find("://") != std::string_view::npos)
    return not_an_address(text, "is a URL; leave out its scheme and path: HOST:PORT");
  if (pair.starts_with('[')) {
    const auto close = pair.find("]:");
    if (close == std::string_view::npos) return not_an_address(text, "has '[' without ']:PORT'");
    if (close == 1) return not_an_address(text, "has no address between its brackets");
    host = pair.substr(1, close - 1);
    port = pair.substr(close + 2);
  } else if (const auto colon = pair.rfind(':'); colon != std::string_view::npos) {
    if (pair.find(':') != colon) return not_an_address(text, "needs brackets: [IPV6]:PORT");
    host = pair.substr(0, colon);
    port = pair.substr(colon + 1);
  }
  if (!to_number<std::uint16_t>(port)) {
    return not_an_address(
        text, "needs a port from 0 to 65535: HOST:PORT, [IPV6]:PORT, udp:HOST:PORT or unix:PATH");
  }
  return HostPort{std::string(host), std::string(port)};
}

// The path of a Unix address.
Result<std::string_view> path_in(std::string_view text) {
  const std::string_view path = text.substr(kUnixPrefix.size());
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) {
    return not_an_address(text, "needs a path of 1 to 107 bytes");
  }
  return path;
}

}  // namespace

Result<> Address::check_form(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) {
    if (const auto path = path_in(text); !path) return std::unexpected(path.error());
  } else if (const auto parts = split(text, text.starts_with(kUdpPrefix)); !parts) {
    return std::unexpected(parts.error());
  }
  return {};
}

Result<std::vector<Address>> Address::resolve(std::string_view text, int family) {
  Address address;
  if (text.starts_with(kUnixPrefix)) {
    if (family != AF_UNSPEC)
      return not_an_address(text, "is a path, which is neither of IPv4 nor of IPv6");
    const auto path = path_in(text);
    if (!path) return std::unexpected(path.error());
    auto& un = reinterpret_cast<sockaddr_un&>(address.storage_);
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, path->data(), path->size());
    address.size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path->size() + 1);
    return std::vector{address};
  }

  address.udp_ = text.starts_with(kUdpPrefix);
  auto parts = split(text, address.udp_);
  if (!parts) return std::unexpected(parts.error());
  if (parts->host.empty()) parts->host = family == AF_INET6 ? "::1" : "127.0.0.1";
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = address.udp_ ? SOCK_DGRAM : SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(parts->host.c_str(), parts->port.c_str(), &hints, &found);
  if (status != 0) {
    std::string why = ::gai_strerror(status);
    if (family != AF_UNSPEC)
      why += family == AF_INET6 ? " (of IPv6, as asked)" : " (of IPv4, as asked)";
    return not_an_address(text, why);
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Address> all;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    std::memcpy(&address.storage_, one->ai_addr, one->ai_addrlen);
    address.size_ = one->ai_addrlen;
    if (std::ranges::find(all, address) == all.end()) all.push_back(address);
  }
  return all;
}

Result<Address> Address::parse(std::string_view text) {
  const auto all = resolve(text);
  if (!all) return std::unexpected(all.error());
  return all->front();
}

Result<Address> Address::parse_host(std::string_view text) {
  Address address;
  const std::string host(text);
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage_);
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage_);
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    address.size_ = sizeof four;
  } else if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    address.size_ = sizeof six;
  } else {
    return not_an_address(text, "is not a numeric IPv4 or IPv6 address");
  }
  return address;
}

Result<Address> Address::of_socket(int fd) {
  Address address;
  address.size_ = sizeof address.storage_;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) != 0) {
    return failed("getsockname");
  }
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return failed("getsockopt");
  address.udp_ = type == SOCK_DGRAM && !address.is_unix();
  return address;
}

std::uint16_t Address::port() const noexcept {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(storage_).sin_port);
  if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(storage_).sin6_port);
  return 0;
}

std::string Address::path() const {
  if (!is_unix()) return {};
  return reinterpret_cast<const sockaddr_un&>(storage_).sun_path;
}

bool Address::is_loopback() const noexcept {
  if (family() == AF_INET) {
    const auto host = ntohl(reinterpret_cast<const sockaddr_in&>(storage_).sin_addr.s_addr);
    return (host >> 24) == 127;
  }
  if (family() == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(storage_).sin6_addr);
  }
  return is_unix();
}

bool Address::is_any() const noexcept {
  if (family() == AF_INET)
    return reinterpret_cast<const sockaddr_in&>(storage_).sin_addr.s_addr == INADDR_ANY;
  if (family() == AF_INET6)
    return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(storage_).sin6_addr);
  return false;
}

std::string Address::host() const {
  if (is_unix()) return {};
  char host[NI_MAXHOST] = "?";
  ::getnameinfo(data(), size_, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

Address Address::next(std::uint64_t steps) const noexcept {
  Address next = *this;
  for (std::byte& byte : std::views::reverse(next.host_bytes())) {
    const std::uint64_t sum = std::to_integer<std::uint64_t>(byte) + steps % 256;
    byte = static_cast<std::byte>(sum);
    steps = steps / 256 + sum / 256;
  }
  return next;
}

std::optional<std::uint64_t> Address::steps_to(const Address& last) const noexcept {
  if (family() != last.family()) return std::nullopt;
  Address from = *this, to = last;
  const std::span<std::byte> low = from.host_bytes(), high = to.host_bytes();
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < low.size(); ++i) {
    // Read from the highest byte on: the difference so far is below 0 only if `last` is lower.
    const auto step =
        std::to_integer<std::int64_t>(high[i]) - std::to_integer<std::int64_t>(low[i]);
    const std::int64_t sum = static_cast<std::int64_t>(steps) * 256 + step;
    if (sum < 0 || sum >> 32 > 0) return std::nullopt;
    steps = static_cast<std::uint64_t>(sum);
  }
  return steps;
}

std::string Address::to_string() const {
  if (is_unix()) return std::string(kUnixPrefix) + path();
  const std::string port = std::to_string(this->port());
  const std::string pair = family() == AF_INET6 ? "[" + host() + "]:" + port : host() + ":" + port;
  return udp_ ? std::string(kUdpPrefix) + pair : pair;
}

bool Address::operator==(const Address& other) const noexcept {
  return udp_ == other.udp_ && size_ == other.size_ &&
         std::memcmp(&storage_, &other.storage_, size_) == 0;
}

std::span<std::byte> Address::host_bytes() noexcept {
  if (family() == AF_INET)
    return std::as_writable_bytes(std::span(&reinterpret_cast<sockaddr_in&>(storage_).sin_addr, 1));
  if (family() == AF_INET6)
    return std::as_writable_bytes(
        std::span(&reinterpret_cast<sockaddr_in6&>(storage_).sin6_addr, 1));
  return {};
}

}  // namespace wiremark::net
