// DNS: how answers are counted, by what they answer with.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "load/exchange/exchange.h"
#include "wire/framing/dns.h"

namespace wiremark::load {

struct Dns {
  using Framer = wire::DnsFramer;
  static constexpr std::string_view kReply = "dns";

  static bool repeatable(std::string_view) noexcept { return true; }
  static std::string error(const wire::Step& step, std::string_view) {
    return "DNS " + name_of_kind(kind(step));
  }
  /// By RCODE, from 1 on; those that were cut are apart.
  static std::uint16_t kind(const wire::Step& step) noexcept {
    const bool truncated = step.status >= wire::kDnsTruncated;
    const unsigned rcode = step.status - (truncated ? wire::kDnsTruncated : 0);
    return static_cast<std::uint16_t>(1 + std::min(rcode, kRcodeMax) + (truncated ? kApart : 0));
  }
  static std::string name_of_kind(std::uint16_t kind) {
    const bool truncated = kind > kApart;
    const auto rcode = static_cast<std::uint16_t>(kind - 1 - (truncated ? kApart : 0));
    const std::string name =
        rcode < kRcodeMax ? wire::dns_rcode_name(rcode) : "RCODE over " + std::to_string(rcode - 1);
    return name + (truncated ? " truncated" : "");
  }

  Framer framer = Framer();

 private:
  // No RCODE above 23 is in use, but for private ones.
  static constexpr unsigned kRcodeMax = 400;
  static constexpr unsigned kApart = 500;
};

}  // namespace wiremark::load
