// Frames parsed and turned round: known bytes, every truncation, and garbage.
#include "net/xdp/packet.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

using namespace wiremark;
using namespace wiremark::net::xdp;

namespace {

using Frame = std::vector<std::byte>;

Frame bytes(std::initializer_list<int> values) {
  Frame frame;
  for (const int value : values) frame.push_back(static_cast<std::byte>(value));
  return frame;
}

// From 02:..:02 10.99.0.2:20000 to 02:..:01 10.99.0.1:7007, "abc", don't fragment, TTL 64.
Frame ipv4() {
  return bytes({2,  0,  0,  0, 0,    1,    2,    0,    0,  0,    0,    2,  8,   0,   0x45,
                0,  0,  31, 0, 7,    64,   0,    64,   17, 0x26, 0x07, 10, 99,  0,   2,
                10, 99, 0,  1, 0x4e, 0x20, 0x1b, 0x5f, 0,  11,   0,    0,  'a', 'b', 'c'});
}

Frame ipv6() {
  return bytes({2, 0, 0,  0,    0,    1,    2,    0, 0,  0, 0, 2,   0x86, 0xdd, 0x60, 0, 0,
                0, 0, 11, 17,   64,   0xfd, 0,    0, 0,  0, 0, 0,   0,    0,    0,    0, 0,
                0, 0, 0,  2,    0xfd, 0,    0,    0, 0,  0, 0, 0,   0,    0,    0,    0, 0,
                0, 0, 1,  0x4e, 0x20, 0x1b, 0x5f, 0, 11, 0, 0, 'a', 'b',  'c'});
}

std::string_view text(const Frame& frame, const Packet& packet) {
  return {reinterpret_cast<const char*>(frame.data()) + packet.payload, packet.size};
}

// A header or datagram with a right checksum sums up to all ones (RFC 1071).
bool ip_holds(const Frame& frame) {
  return add_up(Bytes(frame).subspan(kEthernetHeader, kIpv4Header), 0) == 0xffff;
}

bool udp_holds(const Frame& frame, const Packet& packet) {
  const std::size_t hosts = packet.ipv6 ? 32 : 8;
  const auto length = static_cast<std::uint32_t>(kUdpHeader + packet.size);
  const Bytes summed = Bytes(frame).subspan(packet.payload - kUdpHeader - hosts, hosts + length);
  return add_up(summed, 17 + length) == 0xffff;
}

}  // namespace

TEST_CASE("a datagram is found in a frame of either family, and padding is none of it") {
  for (Frame frame : {ipv4(), ipv6()}) {
    frame.resize(frame.size() + 18);
    const auto packet = parse(frame);
    REQUIRE(packet);
    CHECK(text(frame, *packet) == "abc");
    CHECK(packet->source_port == 20'000);
    CHECK(packet->destination_port == 7'007);
    CHECK(packet->hops == 64);
    CHECK_FALSE(packet->from_itself);
  }
}

TEST_CASE("a frame that was cut anywhere is no datagram") {
  for (const Frame& whole : {ipv4(), ipv6()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Frame cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK_FALSE(parse(cut));
    }
    CHECK(parse(whole));
  }
}

TEST_CASE("fragments, options, other protocols and lengths that lie are no datagrams") {
  const auto with = [](Frame frame, std::size_t at, int value) {
    frame[at] = static_cast<std::byte>(value);
    return frame;
  };
  CHECK_FALSE(parse(with(ipv4(), 20, 0x20)));  // More fragments.
  CHECK_FALSE(parse(with(ipv4(), 21, 1)));     // A later fragment.
  CHECK_FALSE(parse(with(ipv4(), 14, 0x46)));
  CHECK_FALSE(parse(with(ipv4(), 23, 6)));
  CHECK_FALSE(parse(with(ipv4(), 13, 6)));
  CHECK_FALSE(parse(with(ipv4(), 17, 19)));
  CHECK_FALSE(parse(with(ipv4(), 39, 7)));
  CHECK_FALSE(parse(with(ipv4(), 39, 12)));
  CHECK_FALSE(parse(with(ipv6(), 20, 44)));  // The fragment header.
  CHECK_FALSE(parse(with(ipv6(), 14, 0x40)));
  CHECK_FALSE(parse(with(ipv6(), 59, 12)));
}

TEST_CASE("the answer goes back with one hop fewer and right checksums") {
  for (const std::string_view answer : {"", "x", "abc", "longer than it was"}) {
    for (Frame frame : {ipv4(), ipv6()}) {
      const auto asked = parse(frame);
      REQUIRE(asked);
      frame.resize(asked->payload + 64);
      std::ranges::transform(answer, frame.begin() + static_cast<std::ptrdiff_t>(asked->payload),
                             [](char c) { return static_cast<std::byte>(c); });
      frame.resize(turn_round(frame, *asked, answer.size()));
      const auto back = parse(frame);
      REQUIRE(back);
      CHECK(text(frame, *back) == answer);
      CHECK(back->source_port == 7'007);
      CHECK(back->destination_port == 20'000);
      CHECK(back->hops == 63);
      CHECK(frame[5] == std::byte{2});
      CHECK(frame[11] == std::byte{1});
      CHECK(frame[asked->payload - kUdpHeader - 1] == std::byte{2});
      CHECK((back->ipv6 || ip_holds(frame)));
      CHECK(udp_holds(frame, *back));
    }
  }
}

TEST_CASE("a checksum that comes out as 0 is sent as all ones") {
  Frame frame = ipv4();
  frame.resize(46);
  for (unsigned value = 0; value <= 0xffff; ++value) {
    Frame tried = frame;
    const auto packet = parse(tried);
    REQUIRE(packet);
    tried[packet->payload] = static_cast<std::byte>(value >> 8);
    tried[packet->payload + 1] = static_cast<std::byte>(value);
    turn_round(tried, *packet, 2);
    const bool absent = tried[40] == std::byte{0} && tried[41] == std::byte{0};
    REQUIRE_FALSE(absent);
  }
}

TEST_CASE("garbage is refused, or lies within the frame") {
  std::mt19937 random(1);
  for (int round = 0; round < 200'000; ++round) {
    Frame frame = round % 2 == 0 ? ipv4() : ipv6();
    for (int changes = static_cast<int>(random() % 4); changes >= 0; --changes)
      frame[random() % frame.size()] = static_cast<std::byte>(random());
    frame.resize(random() % (frame.size() + 1));
    if (const auto packet = parse(frame)) REQUIRE(packet->payload + packet->size <= frame.size());
  }
}

TEST_CASE("a datagram that is made has its ends, its bytes and right checksums") {
  Route route;
  route.own = {std::byte{2}, {}, {}, {}, {}, std::byte{2}};
  route.next = {std::byte{2}, {}, {}, {}, {}, std::byte{1}};
  for (const auto& [from, to] : {std::pair("udp:10.99.0.2:20000", "udp:10.99.0.1:7007"),
                                 {"udp:[fd00::2]:20000", "udp:[fd00::1]:7007"}}) {
    const Envelope envelope(*net::Address::parse(from), *net::Address::parse(to), route);
    std::mt19937 random(1);
    for (std::size_t size : {0, 1, 2, 3, 4, 5, 63, 64, 1452}) {
      Frame frame(envelope.size() + size);
      for (std::size_t i = envelope.size(); i < frame.size(); ++i)
        frame[i] = static_cast<std::byte>(random());
      const Frame before = frame;
      CHECK(envelope.seal(frame, size) == frame.size());
      const auto packet = parse(frame);
      REQUIRE(packet);
      CHECK(packet->size == size);
      CHECK(packet->source_port == 20'000);
      CHECK(packet->destination_port == 7'007);
      CHECK(packet->hops == 64);
      CHECK(udp_holds(frame, *packet));
      CHECK((packet->ipv6 || ip_holds(frame)));
      CHECK(std::equal(route.next.begin(), route.next.end(), frame.begin()));
      CHECK(std::equal(route.own.begin(), route.own.end(), frame.begin() + 6));
      CHECK(std::ranges::equal(std::span(frame).subspan(packet->payload),
                               std::span(before).subspan(packet->payload)));
    }
  }
}

// A frame of 10.99.0.2 to 10.99.0.1, as the kernel makes it but for its identification.
TEST_CASE("a datagram that is made is the frame that the kernel makes") {
  Route route;
  std::ranges::copy(Bytes(ipv4()).first(6), route.next.begin());
  std::ranges::copy(Bytes(ipv4()).subspan(6, 6), route.own.begin());
  for (Frame wanted : {ipv4(), ipv6()}) {
    const bool six = wanted.size() > 50;
    const Envelope envelope(
        *net::Address::parse(six ? "udp:[fd00::2]:20000" : "udp:10.99.0.2:20000"),
        *net::Address::parse(six ? "udp:[fd00::1]:7007" : "udp:10.99.0.1:7007"), route);
    Frame made(wanted);
    std::fill(made.begin(), made.end() - 3, std::byte{0xff});
    REQUIRE(envelope.seal(made, 3) == wanted.size());
    const auto without_checksums = [six](Frame frame) {
      for (const std::size_t at : {six ? 60u : 40u, six ? 61u : 41u}) frame[at] = {};
      for (const std::size_t at : {18u, 19u, 24u, 25u})
        if (!six) frame[at] = {};
      return frame;
    };
    CHECK(without_checksums(made) == without_checksums(wanted));
  }
}
