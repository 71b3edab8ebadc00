// A strict walk over JSON (RFC 8259) that names the first error and where it is.
//
// The readers in front of it are fast; this one is exact. It allocates nothing and does not
// recurse.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "wire/decode_error.h"
#include "wire/json/text.h"

namespace wiremark::wire {

/// A position in a text, and whether the text up to there is JSON. For one decode.
class JsonWalker {
 public:
  /// The deepest nesting that the walker can follow, whatever the limit says.
  static constexpr unsigned kMaxDepth = 1024;

  /// `depth`: containers that may be open at once, the outermost one included.
  JsonWalker(Bytes text, unsigned depth) noexcept;

  std::size_t at() const noexcept { return at_; }
  void seek(std::size_t at) noexcept { at_ = at; }
  DecodeError error() const noexcept { return error_; }

  // Each of these moves past what it names. False when that is not there; error() says why.

  /// One whole value of any type; `outer` containers are open around it.
  bool value(unsigned outer) noexcept;
  /// The name of a member and its colon. `raw` is the name as it is written, escapes and all.
  bool key(std::string_view& raw) noexcept;
  /// Moves past members up to the one called `name`, the last one, or the first one that is not
  /// short and plain: such are left to the other functions. Stands at a name before and after.
  void pass_plain_members(std::string_view name) noexcept;
  /// `{`, when the next value is an object.
  bool begin_object() noexcept;
  /// After a member or before the first: true with `more` unset when the object ends here.
  bool next_member(bool first, bool& more) noexcept;
  /// A string. `raw` is what stands between the quotes.
  bool text(std::string_view& raw) noexcept;
  /// A number without fraction and exponent, from `min` to `max`.
  bool integer(std::int64_t min, std::int64_t max, std::int64_t& value) noexcept;
  /// A number, as it is written. `whole` when it has neither fraction nor exponent.
  bool number(std::string_view& raw, bool& whole) noexcept;
  /// The same, when the next value is a number at all.
  bool typed_number(std::string_view& raw, bool& whole) noexcept;
  /// Nothing but white space up to the end.
  bool end() noexcept;

  bool fail(DecodeErrorKind kind, std::size_t offset) noexcept;

 private:
  bool at_end() const noexcept { return at_ == text_.size(); }
  char byte() const noexcept { return text_[at_]; }
  bool fail(DecodeErrorKind kind) noexcept { return fail(kind, at_); }
  bool next(DecodeErrorKind otherwise, char wanted) noexcept;
  /// Called before every token; usually there is at most one blank.
  void skip_space() noexcept {
    while (!at_end() && static_cast<unsigned char>(byte()) <= ' ' && json_is_space(byte())) ++at_;
  }
  std::size_t quick_string(std::size_t at) const noexcept;
  std::size_t quick_digits(std::size_t at) const noexcept;
  std::size_t quick_value(std::size_t at) const noexcept;
  bool string(std::string_view& raw) noexcept;
  bool escape() noexcept;
  bool hex4(unsigned& unit, std::size_t escape_at) noexcept;
  bool not_ascii() noexcept;
  bool literal(std::string_view word) noexcept;
  bool digits() noexcept;
  bool scalar() noexcept;
  bool other_type() noexcept;
  void remember(unsigned depth, bool object) noexcept;
  bool is_object(unsigned depth) const noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_;
  DecodeError error_;
  /// One bit per open container: set for an object.
  std::array<std::uint64_t, kMaxDepth / 64> objects_{};
};

// Inline, and without a look at each byte: most of an object is short names and short values.

/// Where the text that starts at `at`, behind its quote, has its closing quote; 0 where it is not
/// plain ASCII of less than a block. A block must be readable.
inline std::size_t JsonWalker::quick_string(std::size_t at) const noexcept {
#ifdef __SSE2__
  const __m128i block = json_block(text_.data() + at);
  const auto odd = unsigned(_mm_movemask_epi8(_mm_or_si128(json_escapes(block), block)));
  if (odd == 0) return 0;
  at += static_cast<std::size_t>(std::countr_zero(odd));
#else
  const std::size_t reach = at + kJsonBlock;
  while (at < reach && !json_needs_escape(text_[at]) && (text_[at] & 0x80) == 0) ++at;
#endif
  return text_[at] == '"' ? at : 0;
}

/// Where the digits that start at `at` end; 24 of them at most. 24 bytes must be readable.
inline std::size_t JsonWalker::quick_digits(std::size_t at) const noexcept {
  for (int words = 0; words < 3; ++words, at += 8) {
    const auto raw = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(text_.data()) + at);
    const std::uint64_t digits = raw ^ 0x3030'3030'3030'3030;
    // A carry only disturbs bytes behind one that is no digit.
    const std::uint64_t others =
        ((digits + 0x7676'7676'7676'7676) | digits) & 0x8080'8080'8080'8080;
    if (others != 0) return at + static_cast<std::size_t>(std::countr_zero(others) >> 3);
  }
  return at;
}

inline bool JsonWalker::next_member(bool first, bool& more) noexcept {
  skip_space();
  if (at_end()) return fail(DecodeErrorKind::truncated);
  more = byte() != '}';
  if (more && first) return true;
  if (more && byte() != ',') return fail(DecodeErrorKind::syntax);
  ++at_;
  return true;
}

/// Where the text or the number without an exponent that starts at `at` ends; 0 where there is
/// none. 52 bytes must be readable.
inline std::size_t JsonWalker::quick_value(std::size_t at) const noexcept {
  if (text_[at] == '"') {
    const std::size_t quote = quick_string(at + 1);
    return quote == 0 ? 0 : quote + 1;
  }
  std::size_t first = at;
  if (text_[at] == '-') [[unlikely]]
    ++first;
  std::size_t end = quick_digits(first);
  if (end == first || (text_[first] == '0' && end - first > 1)) return 0;
  if (text_[end] == '.') {
    const std::size_t fraction = end + 1;
    end = quick_digits(fraction);
    if (end == fraction) return 0;
  }
  return end;
}

inline void JsonWalker::pass_plain_members(std::string_view name) noexcept {
  constexpr std::size_t kNameMax = 7;
  // A quote, a name of up to 7, another quote and a colon, and what quick_value() reads.
  constexpr std::size_t kReach = 1 + kNameMax + 2 + 52;
  if (name.size() > kNameMax) return;
  std::array<std::byte, 8> quoted{};
  std::memcpy(quoted.data(), name.data(), name.size());
  quoted[name.size()] = std::byte{'"'};
  const auto wanted = load_le<std::uint64_t>(quoted.data());
  const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (kNameMax - name.size()));
  // A local copy: were the position stored for each member, the next would wait for it.
  std::size_t at = at_;
  while (text_.size() - at >= kReach && text_[at] == '"') {
    const auto* const key = reinterpret_cast<const std::byte*>(text_.data()) + at + 1;
    if ((load_le<std::uint64_t>(key) & mask) == wanted) break;
    // Names are mostly of one size: by a branch, what follows does not wait until it is known.
    std::size_t value = at + name.size() + 3;
    const std::size_t quote = quick_string(at + 1);
    if (quote != at + name.size() + 1) {
      if (quote == 0 || quote > at + kNameMax + 1) break;
      value = quote + 2;
    }
    if (text_[value - 1] != ':') break;
    const std::size_t end = quick_value(value);
    if (end == 0 || text_[end] != ',') break;
    at = end + 1;
  }
  at_ = at;
}

}  // namespace wiremark::wire
