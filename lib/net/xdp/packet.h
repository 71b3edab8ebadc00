// One UDP datagram in an Ethernet frame: found, turned round into its answer, or made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/buffer.h"
#include "net/address.h"
#include "net/xdp/route.h"

namespace wiremark::net::xdp {

inline constexpr std::size_t kEthernetHeader = 14;
inline constexpr std::size_t kIpv4Header = 20;
inline constexpr std::size_t kIpv6Header = 40;
inline constexpr std::size_t kUdpHeader = 8;

/// Where things are in a frame; it holds for as long as the frame.
struct Packet {
  bool ipv6 = false;
  std::uint8_t hops = 0;  ///< TTL or hop limit.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  bool from_itself = false;  ///< Source and destination are one host.
  std::size_t payload = 0;   ///< Offset of the first byte behind the UDP header.
  std::size_t size = 0;      ///< Bytes of payload.
};

/// Nothing unless the frame holds a whole UDP datagram over IPv4 without options or fragments (RFC
/// 791), or over IPv6 without extension headers (RFC 8200). Bytes behind it are padding. Checksums
/// are not looked at: a virtual device hands them over half computed.
std::optional<Packet> parse(Bytes frame) noexcept;

/// Makes the answer of a frame, whose payload of `size` bytes stands in place already: swaps both
/// ends, takes one hop, and computes lengths and checksums. Returns the length of the frame.
std::size_t turn_round(std::span<std::byte> frame, const Packet& packet, std::size_t size) noexcept;

/// The headers of all datagrams from one address to another, made once.
class Envelope {
 public:
  /// Both have a port, and are of one family.
  Envelope(const Address& from, const Address& to, const Route& route) noexcept;

  /// Bytes of the headers: the payload lies behind them.
  std::size_t size() const noexcept { return size_; }
  /// Puts them in front of a payload of `payload` bytes that stands in place already, with lengths
  /// and checksums. Returns the length of the frame.
  std::size_t seal(std::span<std::byte> frame, std::size_t payload) const noexcept;

 private:
  std::array<std::byte, kEthernetHeader + kIpv6Header + kUdpHeader> header_{};
  std::size_t size_;
  bool ipv6_;
  std::uint32_t ip_sum_ = 0;   // Of the IPv4 header without a length.
  std::uint32_t udp_sum_ = 0;  // Of the pseudo header and the ports, without a length.
};

/// The one's complement sum of RFC 1071 over `bytes`, added to `sum`, in the order of the network.
/// Only the last part of a sum may have an odd number of bytes.
std::uint32_t add_up(Bytes bytes, std::uint32_t sum) noexcept;

}  // namespace wiremark::net::xdp
