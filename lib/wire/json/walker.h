// A strict walk over JSON (RFC 8259) that names the first error and where it is.
//
// The readers in front of it are fast; this one is exact. It allocates nothing and does not
// recurse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  /// Moves past members that are short and plain, from a name up to the first member that is not,
  /// or behind the object: then true. Where one of them is called `name`, of up to three bytes, its
  /// value is at `found`, which is 0 before; a second one is left to the other functions.
  bool pass_plain(std::string_view name, std::size_t& found) noexcept;
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
  bool quick_integer(std::int64_t& value) noexcept;
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

inline bool JsonWalker::next_member(bool first, bool& more) noexcept {
  skip_space();
  if (at_end()) return fail(DecodeErrorKind::truncated);
  more = byte() != '}';
  if (more && first) return true;
  if (more && byte() != ',') return fail(DecodeErrorKind::syntax);
  ++at_;
  return true;
}

}  // namespace wiremark::wire
