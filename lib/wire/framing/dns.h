// A framer of answers of DNS, which says what they answer with.
#pragma once

#include <string>

#include "wire/framing/step.h"

namespace wiremark::wire {

/// Step::status of an answer that did not fit (its TC bit): so much more than its RCODE.
inline constexpr std::uint16_t kDnsTruncated = 0x1000;

/// One message: a datagram, or over streams what two bytes of length stand before. Its RCODE, with
/// the upper bits that EDNS has of it, is the status of the step; all but NOERROR and NXDOMAIN,
/// which says that there is no such name, are errors.
/// RFC 1035, 4.1 and 4.2.2; RFC 6891, 6.1.3
class DnsFramer {
 public:
  struct State {
    std::string begin;  // Of a message that came in pieces, as far as it has come.
  };

  explicit DnsFramer(bool datagrams = false) noexcept : datagrams_(datagrams) {}

  Step take(State& state, Bytes bytes, Asked) const;

 private:
  bool datagrams_;
};

/// Whether a message is a question of DNS, with nothing behind it but what EDNS adds.
bool is_dns_question(Bytes message) noexcept;

/// The name of an RCODE: "SERVFAIL".
/// https://www.iana.org/assignments/dns-parameters
std::string dns_rcode_name(std::uint16_t rcode);

}  // namespace wiremark::wire
