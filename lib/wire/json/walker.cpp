// RFC 8259, production by production: objects, arrays and what separates their values.
#include "wire/json/walker.h"

#include <algorithm>

namespace wiremark::wire {

using enum DecodeErrorKind;

JsonWalker::JsonWalker(Bytes text, unsigned depth) noexcept
    : text_(as_text(text)), depth_(std::clamp(depth, 1U, kMaxDepth)) {}

bool JsonWalker::fail(DecodeErrorKind kind, std::size_t offset) noexcept {
  error_ = {.kind = kind, .offset = offset};
  return false;
}

/// Skips white space and then `wanted`.
inline bool JsonWalker::next(DecodeErrorKind otherwise, char wanted) noexcept {
  skip_space();
  if (at_end()) return fail(truncated);
  if (byte() != wanted) return fail(otherwise);
  ++at_;
  return true;
}

bool JsonWalker::end() noexcept {
  skip_space();
  return at_end() || fail(trailing_data);
}

void JsonWalker::remember(unsigned depth, bool object) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (depth % 64);
  std::uint64_t& word = objects_[depth / 64];
  word = object ? word | bit : word & ~bit;
}

bool JsonWalker::is_object(unsigned depth) const noexcept {
  return (objects_[depth / 64] >> (depth % 64) & 1) != 0;
}

bool JsonWalker::value(unsigned outer) noexcept {
  unsigned depth = outer;
  for (;;) {
    skip_space();
    if (at_end()) return fail(truncated);
    if (byte() == '{' || byte() == '[') {
      if (depth >= depth_) return fail(depth_exceeded);
      const bool object = byte() == '{';
      remember(depth++, object);
      ++at_;
      skip_space();
      if (at_end() || byte() != (object ? '}' : ']')) {
        std::string_view name;
        if (object && !key(name)) return false;
        continue;
      }
    } else if (!scalar()) {
      return false;
    }
    // A value is complete, or a container is empty: close the containers that end here.
    bool more = false;
    while (!more && depth > outer) {
      skip_space();
      if (at_end()) return fail(truncated);
      const bool object = is_object(depth - 1);
      if (byte() == ',') {
        ++at_;
        std::string_view name;
        if (object && !key(name)) return false;
        more = true;
      } else if (byte() == (object ? '}' : ']')) {
        ++at_;
        --depth;
      } else {
        return fail(syntax);
      }
    }
    if (!more) return true;
  }
}

bool JsonWalker::key(std::string_view& raw) noexcept {
  return next(syntax, '"') && string(raw) && next(syntax, ':');
}

bool JsonWalker::begin_object() noexcept {
  skip_space();
  if (at_end()) return fail(truncated);
  if (byte() != '{') return other_type();
  ++at_;
  return true;
}

}  // namespace wiremark::wire
