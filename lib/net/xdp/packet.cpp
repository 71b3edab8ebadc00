// One UDP datagram in an Ethernet frame: found, turned round into its answer, or made.
#include "net/xdp/packet.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace wiremark::net::xdp {

namespace {

constexpr std::uint16_t kEtherIpv4 = 0x0800;
constexpr std::uint16_t kEtherIpv6 = 0x86dd;
constexpr std::uint16_t kFragmentMask = 0x3fff;  // More fragments, and the offset of this one.

std::uint16_t load16(const std::byte* at) noexcept {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return ntohs(value);
}

void store16(std::byte* at, std::size_t value) noexcept {
  const std::uint16_t stored = htons(static_cast<std::uint16_t>(value));
  std::memcpy(at, &stored, sizeof stored);
}

std::uint16_t fold(std::uint32_t sum) noexcept {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

std::size_t header_of(const Packet& packet) noexcept {
  return packet.ipv6 ? kIpv6Header : kIpv4Header;
}

// Both addresses lie side by side in front of what the IP header carries.
std::size_t host_size(bool ipv6) noexcept { return ipv6 ? 16 : 4; }

// The bytes that the IP header says it carries; 0 unless they are an unfragmented UDP datagram.
std::size_t carried(Bytes frame, bool ipv6) noexcept {
  const std::byte* ip = frame.data() + kEthernetHeader;
  const std::size_t room = frame.size() - kEthernetHeader;
  if (ipv6) {
    const std::size_t size = load16(ip + 4);
    const bool plain = (ip[0] >> 4) == std::byte{6} && ip[6] == std::byte{IPPROTO_UDP};
    return plain && size <= room - kIpv6Header ? size : 0;
  }
  const std::size_t size = load16(ip + 2);
  const bool plain = ip[0] == std::byte{0x45} && ip[9] == std::byte{IPPROTO_UDP} &&
                     (load16(ip + 6) & kFragmentMask) == 0;
  return plain && size >= kIpv4Header && size <= room ? size - kIpv4Header : 0;
}

}  // namespace

// Words are added as they lie in memory, and the sum is turned round: RFC 1071 2 (B).
std::uint32_t add_up(Bytes bytes, std::uint32_t sum) noexcept {
  std::uint64_t total = 0;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 4; left -= 4, at += 4) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    total += word;
  }
  if (left > 0) {
    std::uint32_t word = 0;
    std::memcpy(&word, at, left);
    total += word;
  }
  while (total >> 16 != 0) total = (total & 0xffff) + (total >> 16);
  return fold(fold(sum) + std::uint32_t{ntohs(static_cast<std::uint16_t>(total))});
}

std::optional<Packet> parse(Bytes frame) noexcept {
  if (frame.size() < kEthernetHeader + kIpv4Header + kUdpHeader) return {};
  const std::uint16_t type = load16(frame.data() + 12);
  Packet packet;
  packet.ipv6 = type == kEtherIpv6;
  if (!packet.ipv6 && type != kEtherIpv4) return {};
  const std::size_t header = header_of(packet);
  if (frame.size() < kEthernetHeader + header + kUdpHeader) return {};
  const std::size_t room = carried(frame, packet.ipv6);
  const std::byte* ip = frame.data() + kEthernetHeader;
  const std::byte* udp = ip + header;
  const std::size_t length = load16(udp + 4);
  if (length < kUdpHeader || length > room) return {};
  packet.hops = std::to_integer<std::uint8_t>(ip[packet.ipv6 ? 7 : 8]);
  packet.source_port = load16(udp);
  packet.destination_port = load16(udp + 2);
  const std::size_t host = host_size(packet.ipv6);
  packet.from_itself = std::memcmp(udp - 2 * host, udp - host, host) == 0;
  packet.payload = kEthernetHeader + header + kUdpHeader;
  packet.size = length - kUdpHeader;
  return packet;
}

std::size_t turn_round(std::span<std::byte> frame, const Packet& packet,
                       std::size_t size) noexcept {
  std::byte* const ip = frame.data() + kEthernetHeader;
  std::byte* const udp = ip + header_of(packet);
  const std::size_t host = host_size(packet.ipv6);
  const std::size_t length = kUdpHeader + size;
  std::swap_ranges(frame.data(), frame.data() + 6, frame.data() + 6);
  std::swap_ranges(udp - 2 * host, udp - host, udp - host);
  std::swap_ranges(udp, udp + 2, udp + 2);
  ip[packet.ipv6 ? 7 : 8] = static_cast<std::byte>(packet.hops - 1);
  if (packet.ipv6) {
    store16(ip + 4, length);
  } else {
    store16(ip + 2, kIpv4Header + length);
    store16(ip + 10, 0);
    store16(ip + 10, static_cast<std::uint16_t>(~fold(add_up({ip, kIpv4Header}, 0))));
  }
  store16(udp + 4, length);
  store16(udp + 6, 0);
  // The pseudo header: both hosts, the protocol and the length (RFC 768, RFC 8200 8.1).
  const auto pseudo = static_cast<std::uint32_t>(IPPROTO_UDP + length);
  const std::uint32_t sum = add_up({udp - 2 * host, 2 * host + length}, pseudo);
  const auto checksum = static_cast<std::uint16_t>(~fold(sum));
  store16(udp + 6, checksum == 0 ? 0xffff : checksum);  // 0 would say that there is none.
  return packet.payload + size;
}

Envelope::Envelope(const Address& from, const Address& to, const Route& route) noexcept
    : ipv6_(to.family() == AF_INET6) {
  constexpr std::byte kHops{64};
  size_ = kEthernetHeader + (ipv6_ ? kIpv6Header : kIpv4Header) + kUdpHeader;
  std::byte* const ip = header_.data() + kEthernetHeader;
  std::byte* const udp = header_.data() + size_ - kUdpHeader;
  std::copy(route.next.begin(), route.next.end(), header_.data());
  std::copy(route.own.begin(), route.own.end(), header_.data() + 6);
  store16(header_.data() + 12, ipv6_ ? kEtherIpv6 : kEtherIpv4);
  const std::size_t host = host_size(ipv6_);
  if (ipv6_) {
    const auto name = [](const Address& one) {
      return &reinterpret_cast<const sockaddr_in6*>(one.data())->sin6_addr;
    };
    ip[0] = std::byte{0x60};
    ip[6] = std::byte{IPPROTO_UDP};
    ip[7] = kHops;
    std::memcpy(udp - 2 * host, name(from), host);
    std::memcpy(udp - host, name(to), host);
  } else {
    const auto name = [](const Address& one) {
      return &reinterpret_cast<const sockaddr_in*>(one.data())->sin_addr;
    };
    ip[0] = std::byte{0x45};
    store16(ip + 6, 0x4000);  // Don't fragment: an identification is needed for fragments alone.
    ip[8] = kHops;
    ip[9] = std::byte{IPPROTO_UDP};
    std::memcpy(udp - 2 * host, name(from), host);
    std::memcpy(udp - host, name(to), host);
    ip_sum_ = add_up({ip, kIpv4Header}, 0);
  }
  store16(udp, from.port());
  store16(udp + 2, to.port());
  udp_sum_ = add_up({udp - 2 * host, 2 * host + 4}, IPPROTO_UDP);
}

std::size_t Envelope::seal(std::span<std::byte> frame, std::size_t payload) const noexcept {
  std::memcpy(frame.data(), header_.data(), size_);
  std::byte* const ip = frame.data() + kEthernetHeader;
  std::byte* const udp = frame.data() + size_ - kUdpHeader;
  const auto length = static_cast<std::uint32_t>(kUdpHeader + payload);
  if (ipv6_) {
    store16(ip + 4, length);
  } else {
    const auto all = static_cast<std::uint32_t>(kIpv4Header + length);
    store16(ip + 2, all);
    store16(ip + 10, static_cast<std::uint16_t>(~fold(ip_sum_ + all)));
  }
  store16(udp + 4, length);
  // The length is in the pseudo header and in that of UDP.
  const std::uint32_t sum = add_up({udp + kUdpHeader, payload}, udp_sum_ + 2 * length);
  const auto checksum = static_cast<std::uint16_t>(~fold(sum));
  store16(udp + 6, checksum == 0 ? 0xffff : checksum);  // 0 would say that there is none.
  return size_ + payload;
}

}  // namespace wiremark::net::xdp
