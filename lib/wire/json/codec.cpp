// Reads what this codec writes itself in one pass; all else goes to the general readers.
#include "wire/json/codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "wire/json/escape.h"
#include "wire/json/text.h"
#include "wire/json/walker.h"
#include "wire/json/writer.h"
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

constexpr std::string_view kHead = R"({"head":)";
constexpr std::string_view kGuid = R"(,"guid":)";
constexpr std::string_view kContent = R"(,"content":")";
constexpr std::string_view kClose = R"("})";
/// The smallest message: the names, one digit for each number, and an empty content.
constexpr std::ptrdiff_t kSmallest = 8 + 1 + 8 + 1 + 12 + 2;
/// At least this much follows a number, and may be read unchecked.
constexpr std::ptrdiff_t kAfterGuid = 12 + 2;

bool skip(const char*& at, std::string_view wanted) {
  if (std::memcmp(at, wanted.data(), wanted.size()) != 0) return false;
  at += wanted.size();
  return true;
}

/// Reads an optional sign and digits; at least 12 bytes must be readable. The caller checks what
/// ends the number, by comparing it with the next name.
bool read_integer(const char*& at, std::int32_t& into) {
  const bool negative = *at == '-';
  at += negative;
  const auto raw = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(at));
  const std::uint64_t digits = raw ^ 0x3030'3030'3030'3030;
  // The sum sets the highest bit of bytes above 9; a carry only disturbs bytes behind such a one.
  const std::uint64_t others = ((digits + 0x7676'7676'7676'7676) | digits) & 0x8080'8080'8080'8080;
  const int count = std::countr_zero(others) / 8;
  if (count == 0 || (*at == '0' && count > 1)) return false;
  std::uint64_t number = json_join_digits(digits << (64 - 8 * count));
  at += count;
  if (count == 8) [[unlikely]] {
    for (int i = 0; i < 2 && *at >= '0' && *at <= '9'; ++i) {
      number = number * 10 + static_cast<unsigned>(*at++ - '0');
    }
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (number > kMax + negative) return false;
  const auto bits = static_cast<std::uint32_t>(number);
  into = static_cast<std::int32_t>(negative ? 0 - bits : bits);
  return true;
}

/// Whether a string can hold `text` without escapes. 16 bytes before its end must be readable.
bool is_plain(std::string_view text) {
#ifdef __SSE2__
  const std::size_t size = text.size();
  const __m128i last = json_block(text.data() + size - 16);
  // Of the last block only bytes of the text count.
  const unsigned outside = 16 - static_cast<unsigned>(std::min<std::size_t>(size, 16));
  const unsigned last_escapes = unsigned(_mm_movemask_epi8(json_escapes(last))) >> outside;
  const unsigned last_high = unsigned(_mm_movemask_epi8(last)) >> outside;
  __m128i escapes = _mm_setzero_si128();
  __m128i seen = escapes;
  for (std::size_t at = 0; at + 16 < size; at += 16) {
    const __m128i block = json_block(text.data() + at);
    escapes = _mm_or_si128(escapes, json_escapes(block));
    seen = _mm_or_si128(seen, block);
  }
  if ((last_escapes | unsigned(_mm_movemask_epi8(escapes))) != 0) return false;
  return (last_high | unsigned(_mm_movemask_epi8(seen))) == 0 || is_utf8_by_blocks(as_bytes(text));
#else
  return std::ranges::none_of(text, json_needs_escape) && is_utf8(as_bytes(text));
#endif
}

[[gnu::noinline]] DecodeError read_any_json(Bytes from, Message& into, SimdjsonReader& reader,
                                            unsigned depth) {
  if (reader.decode(from, into)) return {};
  const DecodeError error = explain_json_message(from, depth);
  // simdjson has refused the text; if the walker ever accepts it, it is refused all the same.
  return error ? error : DecodeError{.kind = DecodeErrorKind::syntax, .offset = 0};
}

/// Our own form: its names in their order, and between the last quotes whatever stands there.
bool read_own_form(Bytes from, Message& into) {
  const char* at = as_text(from).data();
  const char* const end = at + from.size();
  if (end - at < kSmallest || !skip(at, kHead) || !read_integer(at, into.head)) return false;
  if (end - at < std::ssize(kGuid) + 1 + kAfterGuid || !skip(at, kGuid)) return false;
  if (!read_integer(at, into.guid)) return false;
  if (end - at < kAfterGuid || !skip(at, kContent)) return false;
  const char* close = end - kClose.size();
  into.content = {at, static_cast<std::size_t>(close - at)};
  return skip(close, kClose);
}

/// What is read where a content is not written as it is.
[[gnu::noinline]] bool read_escaped(Message& into, char* to) {
  return json_unescape(into.content, to, into.content);
}

}  // namespace

bool read_plain_json(Bytes from, Message& into) noexcept {
  return read_own_form(from, into) && is_plain(into.content);
}

JsonCodec::JsonCodec(Limits limits)
    : limits_(limits),
      reader_(make_simdjson_reader(limits)),
      unescaped_(std::make_unique_for_overwrite<char[]>(limits.frame_size + kJsonBlock)) {}

std::size_t JsonCodec::max_size(const Message& message) const noexcept {
  return json_max_size(message);
}

std::size_t JsonCodec::encode(const Message& message, MutableBytes to) const noexcept {
  return write_json(message, to);
}

DecodeError JsonCodec::decode(Bytes from, Message& into) noexcept {
  if (from.size() > limits_.frame_size) {
    return {.kind = DecodeErrorKind::too_large, .offset = limits_.frame_size};
  }
  if (read_own_form(from, into)) [[likely]] {
    if (is_plain(into.content)) [[likely]]
      return {};
    if (read_escaped(into, unescaped_.get())) return {};
  }
  return read_any_json(from, into, *reader_, limits_.depth);
}

DecodeError explain_json_message(Bytes text, unsigned depth) noexcept {
  constexpr std::array<std::string_view, 3> kNames = {"head", "guid", "content"};
  constexpr unsigned kAll = 7;
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  JsonWalker walker(text, depth);
  unsigned seen = 0;
  bool more = true;
  if (!walker.begin_object() || !walker.next_member(true, more)) return walker.error();
  while (more) {
    std::string_view raw;
    if (!walker.key(raw)) return walker.error();
    const auto start = static_cast<std::size_t>(raw.data() - as_text(text).data()) - 1;
    std::size_t field = 0;
    while (field < kNames.size() && !json_key_is(raw, kNames[field])) ++field;
    const unsigned bit = field < kNames.size() ? 1U << field : 0;
    if ((seen & bit) != 0) return {.kind = DecodeErrorKind::duplicate_field, .offset = start};
    seen |= bit;
    std::int64_t number = 0;
    const bool good = field < 2    ? walker.integer(kMin, kMax, number)
                      : field == 2 ? walker.text(raw)
                                   : walker.value(1);
    if (!good || !walker.next_member(false, more)) return walker.error();
  }
  if (seen != kAll) return {.kind = DecodeErrorKind::missing_field, .offset = walker.at() - 1};
  return walker.end() ? DecodeError{} : walker.error();
}

}  // namespace wiremark::wire
