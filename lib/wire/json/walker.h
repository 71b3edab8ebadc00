// A strict walk over JSON (RFC 8259) that names the first error and its place.
//
// It reads byte by byte where it matters and needs no memory but its own: the readers in front of
// it are fast, this one is exact. Nothing here recurses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/decode_error.h"
#include "wire/json/text.h"

namespace wiremark::wire {

/// What is under `at` in a text, and whether it is JSON. Belongs to one decode.
class JsonWalker {
 public:
  /// The nesting that the walker can remember at most, whatever the limit asked for.
  static constexpr unsigned kMaxDepth = 1024;

  /// `depth`: containers that may be open at once, the outermost one included.
  JsonWalker(Bytes text, unsigned depth) noexcept;

  std::size_t at() const noexcept { return at_; }
  void seek(std::size_t at) noexcept { at_ = at; }
  DecodeError error() const noexcept { return error_; }

  // Each of these moves past what it names and is false when that is not there; error() says why.

  /// One whole value of any type; `outer` containers are open around it.
  bool value(unsigned outer) noexcept;
  /// The name of a member and its colon. `raw` is the name as it is written, escapes and all.
  bool key(std::string_view& raw) noexcept;
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
  /// In front of every token, and there is hardly ever any: all of it is at most a blank.
  void skip_space() noexcept {
    while (!at_end() && static_cast<unsigned char>(byte()) <= ' ' && json_is_space(byte())) ++at_;
  }
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

}  // namespace wiremark::wire
