// RFC 8259, production by production: strings, numbers and the words true, false and null.
#include <algorithm>
#include <bit>
#include <charconv>

#include "wire/json/text.h"
#include "wire/json/walker.h"
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

using enum DecodeErrorKind;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Whether a byte behind a number was meant as a part of it.
bool continues_number(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '.' || byte == '+' || byte == '-';
}

/// The length of a UTF-8 sequence by its first byte, or 0.
std::size_t announced_size(unsigned char lead) {
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// Whether more bytes could complete the UTF-8 sequence that `tail` starts.
bool is_cut_sequence(std::string_view tail) {
  const std::size_t size = announced_size(static_cast<unsigned char>(tail[0]));
  if (tail.size() >= size) return false;
  if (tail.size() == 1) return true;
  // From the third byte on any continuation byte will do.
  std::array<char, 4> completed{char(0x80), char(0x80), char(0x80), char(0x80)};
  tail.copy(completed.data(), tail.size());
  const std::string_view sequence(completed.data(), size);
  return utf8_prefix(as_bytes(sequence)) == size;
}

}  // namespace

bool JsonWalker::text(std::string_view& raw) noexcept {
  skip_space();
  if (at_end()) return fail(truncated);
  if (byte() != '"') return other_type();
  ++at_;
  return string(raw);
}

/// A string behind its opening quote.
bool JsonWalker::string(std::string_view& raw) noexcept {
  const std::size_t start = at_;
  if (text_.size() >= kJsonBlock) {
    // Mostly less than a block. Before the text's end it is the last block that is looked at.
    const std::size_t from = std::min(at_, text_.size() - kJsonBlock);
    const unsigned odd = json_odd_bytes(text_.data() + from) >> (at_ - from);
    const std::size_t quote = at_ + static_cast<std::size_t>(std::countr_zero(odd));
    if (odd != 0 && text_[quote] == '"') {
      raw = text_.substr(start, quote - start);
      at_ = quote + 1;
      return true;
    }
  }
  for (;;) {
    at_ += json_plain_prefix(text_.data() + at_, text_.size() - at_);
    if (at_end()) return fail(truncated);
    if (byte() == '"') break;
    if (byte() == '\\') {
      if (!escape()) return false;
    } else if ((byte() & 0x80) != 0) {
      if (!not_ascii()) return false;
    } else {
      return fail(control_character);
    }
  }
  raw = text_.substr(start, at_ - start);
  ++at_;
  return true;
}

bool JsonWalker::escape() noexcept {
  const std::size_t start = at_;
  ++at_;
  if (at_end()) return fail(truncated);
  const char kind = byte();
  ++at_;
  if (kind != 'u') {
    constexpr std::string_view kSingle = "\"\\/bfnrt";
    return kSingle.contains(kind) || fail(invalid_escape, start);
  }
  unsigned unit = 0;
  if (!hex4(unit, start)) return false;
  if (unit < 0xD800 || unit > 0xDFFF) return true;
  if (unit > 0xDBFF) return fail(invalid_escape, start);
  // The first half of a surrogate pair: the other half has to follow.
  for (const char wanted : {'\\', 'u'}) {
    if (at_end()) return fail(truncated);
    if (byte() != wanted) return fail(invalid_escape, start);
    ++at_;
  }
  if (!hex4(unit, start)) return false;
  return (unit >= 0xDC00 && unit <= 0xDFFF) || fail(invalid_escape, start);
}

bool JsonWalker::hex4(unsigned& unit, std::size_t escape_at) noexcept {
  unit = 0;
  for (int i = 0; i < 4; ++i) {
    if (at_end()) return fail(truncated);
    const int digit = json_hex_value(byte());
    if (digit < 0) return fail(invalid_escape, escape_at);
    unit = unit << 4 | unsigned(digit);
    ++at_;
  }
  return true;
}

/// A run of bytes beyond ASCII inside a string.
bool JsonWalker::not_ascii() noexcept {
  std::size_t stop = at_;
  while (stop < text_.size() && (text_[stop] & 0x80) != 0) ++stop;
  const std::string_view run = text_.substr(at_, stop - at_);
  if (is_utf8_by_blocks(as_bytes(run))) {
    at_ = stop;
    return true;
  }
  const std::size_t good = utf8_prefix(as_bytes(run));
  at_ += good;
  if (stop == text_.size() && is_cut_sequence(run.substr(good))) {
    return fail(truncated, text_.size());
  }
  return fail(invalid_utf8);
}

bool JsonWalker::literal(std::string_view word) noexcept {
  const std::string_view here = text_.substr(at_, word.size());
  if (here == word) {
    at_ += word.size();
    return true;
  }
  return word.starts_with(here) ? fail(truncated, text_.size()) : fail(syntax);
}

bool JsonWalker::digits() noexcept {
  if (at_end()) return fail(truncated);
  if (!is_digit(byte())) return fail(number_format);
  while (!at_end() && is_digit(byte())) ++at_;
  return true;
}

bool JsonWalker::typed_number(std::string_view& raw, bool& whole) noexcept {
  skip_space();
  if (at_end()) return fail(truncated);
  if (!is_digit(byte()) && byte() != '-') return other_type();
  return number(raw, whole);
}

bool JsonWalker::number(std::string_view& raw, bool& whole) noexcept {
  const std::size_t start = at_;
  if (byte() == '-') ++at_;
  const std::size_t first_digit = at_;
  if (!digits()) return false;
  if (text_[first_digit] == '0' && at_ - first_digit > 1) return fail(number_format, start);
  whole = true;
  if (!at_end() && byte() == '.') {
    whole = false;
    ++at_;
    if (!digits()) return false;
  }
  if (!at_end() && (byte() == 'e' || byte() == 'E')) {
    whole = false;
    ++at_;
    if (!at_end() && (byte() == '+' || byte() == '-')) ++at_;
    if (!digits()) return false;
  }
  if (!at_end() && continues_number(byte())) return fail(number_format);
  raw = text_.substr(start, at_ - start);
  return true;
}

/// An integer of less than 16 digits with a comma or a brace behind it. It stays where it is
/// otherwise.
bool JsonWalker::quick_integer(std::int64_t& value) noexcept {
  if (text_.size() < kJsonBlock || at_end()) return false;
  const bool negative = byte() == '-';
  const std::size_t first = at_ + negative;
  const std::size_t from = std::min(first, text_.size() - kJsonBlock);
  const unsigned others = json_not_digits(text_.data() + from) >> (first - from);
  if (others == 0) return false;
  const auto count = static_cast<std::size_t>(std::countr_zero(others));
  const std::size_t end = first + count;
  if (count == 0 || end < 16 || (text_[end] != ',' && text_[end] != '}')) return false;
  if (text_[first] == '0' && count > 1) return false;
  // The last `wanted` of the eight digits that end at `last`.
  const auto digits = [this](std::size_t last, std::size_t wanted) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(text_.data());
    const auto raw = load_le<std::uint64_t>(bytes + last - 8) ^ 0x3030'3030'3030'3030;
    const std::size_t unwanted = 64 - 8 * wanted;
    return json_join_digits(raw >> unwanted << unwanted);
  };
  std::uint64_t number = digits(end, std::min<std::size_t>(count, 8));
  if (count > 8) number += 100'000'000 * digits(end - 8, count - 8);
  const auto whole = static_cast<std::int64_t>(number);
  value = negative ? -whole : whole;
  at_ = end;
  return true;
}

bool JsonWalker::integer(std::int64_t min, std::int64_t max, std::int64_t& value) noexcept {
  const std::size_t begin = at_;
  if (quick_integer(value)) {
    return (value >= min && value <= max) || fail(number_out_of_range, begin);
  }
  std::string_view raw;
  bool whole = false;
  if (!typed_number(raw, whole)) return false;
  const std::size_t start = at_ - raw.size();
  if (!whole) return fail(wrong_type, start);
  const auto [last, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc{} || value < min || value > max) return fail(number_out_of_range, start);
  return true;
}

/// A value that is neither object nor array.
bool JsonWalker::scalar() noexcept {
  std::string_view raw;
  bool whole = false;
  switch (byte()) {
    case '"':
      ++at_;
      return string(raw);
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    case '+':
    case '.':
      return fail(number_format);
    default:
      return is_digit(byte()) || byte() == '-' ? number(raw, whole) : fail(syntax);
  }
}

/// Fails because another value than the wanted one starts here, or none at all.
bool JsonWalker::other_type() noexcept {
  const std::size_t start = at_;
  switch (byte()) {
    case '{':
    case '[':
    case '"':
      break;
    default:
      if (!scalar()) return false;
  }
  return fail(wrong_type, start);
}

}  // namespace wiremark::wire
