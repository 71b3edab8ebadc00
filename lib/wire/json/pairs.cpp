// Takes a value by searching a flat object for the bytes of the key; the number of quotes before
// them tells whether they are a name or part of a text.
#include "wire/json/pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include "wire/json/escape.h"
#include "wire/json/text.h"
#include "wire/json/writer.h"

namespace wiremark::wire {
namespace {

using enum DecodeErrorKind;

/// The longest number is a double of 24 bytes: "-1.7976931348623157e+308".
constexpr std::size_t kNumberSize = 24;
constexpr std::size_t kNotFound = std::string_view::npos;

char* put_value(char* to, const Value& value) {
  return std::visit(
      [to](const auto& held) -> char* {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          return write_json_text(to, held);
        } else {
          if constexpr (std::is_floating_point_v<Held>) {
            if (!std::isfinite(held)) return nullptr;
          }
          return std::to_chars(to, to + kNumberSize, held).ptr;
        }
      },
      value);
}

#ifdef __SSE2__
/// The position behind the colon of `name`, given with its quotes, in an object that is flat and
/// free of escapes up to there. In other objects kNotFound, although the name may be there.
std::size_t find_flat(std::string_view text, std::string_view name) {
  constexpr std::size_t kLongest = 5;  // "k63" with its quotes.
  constexpr std::size_t kReach = 16 + kLongest - 1;
  if (text.size() < kReach || text[0] != '{') return kNotFound;
  // For a shorter name its first byte is compared again.
  __m128i wanted[kLongest];
  std::array<std::size_t, kLongest> place{};
  for (std::size_t i = 0; i < kLongest; ++i) {
    place[i] = i < name.size() ? i : 0;
    wanted[i] = _mm_set1_epi8(name[place[i]]);
  }
  // Only whether this is odd or even matters.
  unsigned quotes_before = 0;
  // From 1: behind the opening brace.
  for (std::size_t from = 1, fresh = ~std::size_t{0}; from < text.size() - kLongest + 1;) {
    // The last block overlaps the one before it; bytes seen already are masked out.
    const std::size_t start = std::min(from, text.size() - kReach);
    fresh = 0xFFFFU << (from - start);
    const auto equal = [&](std::size_t i) {
      return _mm_cmpeq_epi8(json_block(text.data() + start + place[i]), wanted[i]);
    };
    const __m128i block = json_block(text.data() + start);
    const __m128i quote = _mm_cmpeq_epi8(block, wanted[0]);
    const __m128i bracket =
        _mm_cmpeq_epi8(_mm_or_si128(block, _mm_set1_epi8(0x20)), _mm_set1_epi8('{'));
    const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    const __m128i found = _mm_and_si128(_mm_and_si128(_mm_and_si128(quote, equal(1)), equal(2)),
                                        _mm_and_si128(equal(3), equal(4)));
    const unsigned quotes = unsigned(_mm_movemask_epi8(quote)) & unsigned(fresh);
    unsigned hits = unsigned(_mm_movemask_epi8(found)) & unsigned(fresh);
    const unsigned odd =
        unsigned(_mm_movemask_epi8(_mm_or_si128(bracket, backslash))) & unsigned(fresh);
    if ((hits | odd) != 0) [[unlikely]] {
      for (; hits != 0; hits &= hits - 1) {
        const unsigned below = (hits & -hits) - 1;
        if ((odd & below) != 0) return kNotFound;
        const std::size_t colon = start + unsigned(std::countr_zero(hits)) + name.size();
        const bool opens = std::popcount(quotes_before ^ (quotes & below)) % 2 == 0;
        if (opens && colon < text.size() && text[colon] == ':') return colon + 1;
      }
      if (odd != 0) return kNotFound;
    }
    quotes_before ^= quotes;
    from = start + 16;
  }
  return kNotFound;
}
#else
std::size_t find_flat(std::string_view, std::string_view) { return kNotFound; }
#endif

template <class T>
bool read_integer(JsonWalker& walker, Value& into) {
  std::int64_t number = 0;
  using Range = std::numeric_limits<T>;
  if (!walker.integer(Range::min(), std::int64_t{Range::max()}, number)) return false;
  into = static_cast<T>(number);
  return true;
}

/// Of a number outside the range of its type: whether it is too small rather than too large, that
/// is whether its first digit other than 0 comes behind the decimal point, moved by the exponent.
bool is_tiny(std::string_view raw) {
  const std::size_t mark = std::min(raw.find_first_of("eE"), raw.size());
  const std::string_view digits = raw.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  std::int64_t exponent = 0;
  if (mark < raw.size()) {
    std::string_view written = raw.substr(mark + 1);
    if (written.starts_with('+')) written.remove_prefix(1);
    const auto [last, error] =
        std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (error != std::errc{}) return written.starts_with('-');
  }
  return exponent < static_cast<std::int64_t>(first) - static_cast<std::int64_t>(point);
}

/// Reads any other number into a `T`. A fraction too small for `T` becomes zero, the nearest value.
template <class T>
bool read_number(JsonWalker& walker, Value& into) {
  std::string_view raw;
  bool whole = false;
  if (!walker.typed_number(raw, whole)) return false;
  const std::size_t start = walker.at() - raw.size();
  if (!whole && std::is_integral_v<T>) return walker.fail(wrong_type, start);
  T number = 0;
  const auto [last, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (error != std::errc{} || last != raw.data() + raw.size()) {
    if constexpr (std::is_integral_v<T>) {
      if (raw != "-0") return walker.fail(number_out_of_range, start);
    } else {
      if (!is_tiny(raw)) return walker.fail(number_out_of_range, start);
      number = raw.starts_with('-') ? T{-0.0} : T{0};
    }
  }
  into = number;
  return true;
}

}  // namespace

JsonTaker::JsonTaker(Limits limits)
    : limits_(limits),
      unescaped_(std::make_unique_for_overwrite<char[]>(limits.frame_size + kJsonBlock)) {}

bool JsonTaker::read_text(JsonWalker& walker, Value& into) noexcept {
  std::string_view raw;
  if (!walker.text(raw)) return false;
  std::string_view text = raw;
  // The walker has judged it, so that nothing can be wrong with it.
  if (raw.contains('\\')) json_unescape(raw, unescaped_.get(), text);
  into = text;
  return true;
}

bool JsonTaker::read(JsonWalker& walker, ValueType type, Value& into) noexcept {
  switch (type) {
    case ValueType::text:
      return read_text(walker, into);
    case ValueType::int32:
      return read_integer<std::int32_t>(walker, into);
    case ValueType::uint32:
      return read_integer<std::uint32_t>(walker, into);
    case ValueType::int64:
      return read_integer<std::int64_t>(walker, into);
    case ValueType::uint64:
      return read_number<std::uint64_t>(walker, into);
    case ValueType::float32:
      return read_number<float>(walker, into);
    case ValueType::float64:
      return read_number<double>(walker, into);
  }
  return false;
}

DecodeError JsonTaker::take(Bytes packet, unsigned key, ValueType type, bool checked,
                            Value& into) noexcept {
  const PairName name(key);
  JsonWalker walker(packet, limits_.depth);
  std::size_t found = 0;
  bool more = true;
  if (!walker.begin_object() || !walker.next_member(true, more)) return walker.error();
  while (more) {
    const std::size_t found_before = found;
    const bool ended = walker.pass_plain(name.text(), found);
    if (found != found_before) {
      const std::size_t passed = walker.at();
      walker.seek(found);
      if (!read(walker, type, into)) return walker.error();
      walker.seek(passed);
    } else if (!ended) {
      std::string_view raw;
      if (!walker.key(raw)) return walker.error();
      const bool wanted = json_key_is(raw, name.text());
      if (wanted && found != 0) {
        const auto start = static_cast<std::size_t>(raw.data() - as_text(packet).data()) - 1;
        return {.kind = duplicate_field, .offset = start};
      }
      if (wanted) found = walker.at();
      if (!(wanted ? read(walker, type, into) : walker.value(1))) return walker.error();
      if (!walker.next_member(false, more)) return walker.error();
    }
    if (found != 0 && !checked) return {};
    if (ended) break;
  }
  if (found == 0) return {.kind = missing_field, .offset = walker.at() - 1};
  return walker.end() ? DecodeError{} : walker.error();
}

std::size_t json_max_size(std::span<const Value> values) noexcept {
  // Around each value: a comma or brace, the name with its quotes, a colon, and quotes of a text.
  constexpr std::size_t kAround = 1 + 5 + 1 + 2;
  std::size_t size = 2;
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    size += kAround + (text != nullptr ? 6 * text->size() : kNumberSize);
  }
  return size;
}

std::size_t JsonPairs::max_size(std::span<const Value> values) const noexcept {
  return json_max_size(values);
}

std::size_t JsonPairs::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  auto* const start = reinterpret_cast<char*>(to.data());
  char* at = start;
  *at++ = '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) *at++ = ',';
    *at++ = '"';
    const PairName name(static_cast<unsigned>(i) + 1);
    at += name.text().copy(at, name.text().size());
    *at++ = '"';
    *at++ = ':';
    at = put_value(at, values[i]);
    if (at == nullptr) return 0;
  }
  *at++ = '}';
  return static_cast<std::size_t>(at - start);
}

DecodeError JsonPairs::take(Bytes packet, unsigned key, ValueType type, Value& into) noexcept {
  if (packet.size() > limits_.frame_size) return {.kind = too_large, .offset = limits_.frame_size};
  const PairName name(key);
  std::array<char, 5> quoted{'"'};
  const std::size_t size = name.text().copy(quoted.data() + 1, 3);
  quoted[size + 1] = '"';
  const std::size_t found = find_flat(as_text(packet), {quoted.data(), size + 2});
  if (found == kNotFound) return taker_.take(packet, key, type, false, into);
  JsonWalker walker(packet, limits_.depth);
  walker.seek(found);
  return taker_.read(walker, type, into) ? DecodeError{} : walker.error();
}

DecodeError JsonPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                    Value& into) noexcept {
  if (packet.size() > limits_.frame_size) return {.kind = too_large, .offset = limits_.frame_size};
  return taker_.take(packet, key, type, true, into);
}

}  // namespace wiremark::wire
