// A framer of answers of DNS, which says what they answer with.
#include "wire/framing/dns.h"

#include <bit>
#include <iterator>
#include <optional>
#include <utility>

namespace wiremark::wire {

namespace {

constexpr std::size_t kHeaderSize = 12;
constexpr std::size_t kLengthSize = 2;
constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kNameMax = 255;
constexpr unsigned kTypeOpt = 41;
constexpr std::uint16_t kNoError = 0;
constexpr std::uint16_t kNxDomain = 3;

// In network order; the bytes are there.
unsigned number_at(Bytes bytes, std::size_t at) noexcept {
  return std::byteswap(load_le<std::uint16_t>(bytes.data() + at));
}

unsigned byte_at(Bytes bytes, std::size_t at) noexcept {
  return std::to_integer<unsigned>(bytes[at]);
}

// The counts of the header: questions, answers, authorities, additional records.
unsigned count_of(Bytes message, std::size_t section) noexcept {
  return number_at(message, 4 + 2 * section);
}

// Where the name at `at` ends; a pointer is its last part. Nothing where it does not end.
std::optional<std::size_t> end_of_name(Bytes message, std::size_t at) noexcept {
  while (at < message.size()) {
    const unsigned label = byte_at(message, at);
    if (label > kLabelMax) return at + 2;
    at += 1 + label;
    if (label == 0) return at;
  }
  return std::nullopt;
}

// The upper eight bits of the RCODE, which stand in the OPT record of EDNS; 0 where it has none.
// Nothing where the records do not fit into the message.
std::optional<unsigned> extended_rcode(Bytes message) noexcept {
  if (count_of(message, 3) == 0) return 0;
  std::size_t at = kHeaderSize;
  for (unsigned i = 0; i < count_of(message, 0); ++i) {
    const auto end = end_of_name(message, at);
    if (!end) return std::nullopt;
    at = *end + 4;
  }
  const unsigned records = count_of(message, 1) + count_of(message, 2) + count_of(message, 3);
  for (unsigned i = 0; i < records; ++i) {
    const auto end = end_of_name(message, at);
    if (!end || *end + 10 > message.size()) return std::nullopt;
    if (number_at(message, *end) == kTypeOpt) return byte_at(message, *end + 4);
    at = *end + 10 + number_at(message, *end + 8);
  }
  return 0;
}

// Of a message behind its length, as far as that has come.
std::size_t size_of(Bytes read) noexcept {
  return read.size() < kLengthSize ? kLengthSize : kLengthSize + number_at(read, 0);
}

// `whole` is what was read, and `message` what of it is no length.
Step step_of(Bytes whole, Bytes message) noexcept {
  if (message.size() < kHeaderSize)
    return step_wrong("it is shorter than the header of a message of DNS");
  if ((byte_at(message, 2) & 0x80) == 0)
    return step_wrong("it is no answer of DNS: its QR bit is not set");
  const bool truncated = byte_at(message, 2) & 0x02;
  const auto extended = extended_rcode(message);
  if (!extended && !truncated) return step_wrong("its records do not fit into the message of DNS");
  const auto rcode =
      static_cast<std::uint16_t>(extended.value_or(0) << 4 | (byte_at(message, 3) & 0x0f));
  Step step = step_over(whole, whole.size(), true);
  step.status = static_cast<std::uint16_t>(rcode + (truncated ? kDnsTruncated : 0));
  step.error = rcode != kNoError && rcode != kNxDomain;
  return step;
}

}  // namespace

Step DnsFramer::take(State& state, Bytes bytes, Asked) const {
  if (datagrams_) return step_of(bytes, bytes);
  std::string& begin = state.begin;
  if (begin.empty() && bytes.size() >= size_of(bytes)) {
    const Bytes whole = bytes.first(size_of(bytes));
    return step_of(whole, whole.subspan(kLengthSize));
  }
  const std::size_t had = begin.size();
  begin += as_text(bytes);
  const std::size_t size = size_of(as_bytes(begin));
  if (begin.size() < size) {
    Step step = step_over(bytes, bytes.size(), false);
    step.ahead = size - begin.size();
    return step;
  }
  const std::string whole = std::exchange(begin, {}).substr(0, size);
  Step step = step_of(as_bytes(whole), as_bytes(whole).subspan(kLengthSize));
  step.taken = size - had;
  step.content = bytes.first(step.taken);
  return step;
}

bool is_dns_question(Bytes message) noexcept {
  if (message.size() < kHeaderSize) return false;
  constexpr unsigned kQrAndOpcode = 0xf8;
  const bool asks = (byte_at(message, 2) & kQrAndOpcode) == 0 && (byte_at(message, 3) & 0x0f) == 0;
  if (!asks || count_of(message, 0) != 1 || count_of(message, 1) + count_of(message, 2) > 0)
    return false;
  const auto end = end_of_name(message, kHeaderSize);
  if (!end || *end - kHeaderSize > kNameMax || *end + 4 > message.size()) return false;
  const Bytes rest = message.subspan(*end + 4);
  if (count_of(message, 3) == 0) return rest.empty();
  return count_of(message, 3) == 1 && rest.size() >= 11 && byte_at(rest, 0) == 0 &&
         number_at(rest, 1) == kTypeOpt && rest.size() == 11 + number_at(rest, 9);
}

std::string dns_rcode_name(std::uint16_t rcode) {
  constexpr std::string_view kNames[] = {"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN",
                                         "NOTIMP",  "REFUSED", "YXDOMAIN", "YXRRSET",
                                         "NXRRSET", "NOTAUTH", "NOTZONE",  "DSOTYPENI"};
  constexpr std::uint16_t kBadVers = 16, kBadCookie = 23;
  if (rcode < std::size(kNames)) return std::string(kNames[rcode]);
  if (rcode == kBadVers) return "BADVERS";
  if (rcode == kBadCookie) return "BADCOOKIE";
  return "RCODE " + std::to_string(rcode);
}

}  // namespace wiremark::wire
