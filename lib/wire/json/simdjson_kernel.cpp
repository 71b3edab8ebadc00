// The On-Demand reader for one set of instructions; compiled once for each, see meson.build.
//
// simdjson chooses its On-Demand code at compile time, and its slowest for baseline x86-64.
// On-Demand accepts some texts that are not JSON; this refuses them: it visits all fields, looks
// for the end of the text, does not let a NUL end a number, and has JsonWalker walk unknown values.
#include <simdjson.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "wire/json/simdjson_reader.h"
#include "wire/json/walker.h"

namespace wiremark::wire {
namespace {

namespace ondemand = simdjson::ondemand;

/// `key` must be one that simdjson has found, so that its closing quote can be read.
bool is_name(const char* key, std::string_view name) {
  return std::memcmp(key, name.data(), name.size()) == 0 && key[name.size()] == '"';
}

template <class T>
bool in_range(std::int64_t number) {
  return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
}

class Reader final : public SimdjsonReader {
 public:
  explicit Reader(Limits limits)
      : limits_(limits),
        memory_(std::make_unique_for_overwrite<char[]>(kLine + limits.frame_size +
                                                       simdjson::SIMDJSON_PADDING)),
        padded_(memory_.get() + kLine - reinterpret_cast<std::uintptr_t>(memory_.get()) % kLine) {
    // Without a depth: JsonWalker checks it, and nothing nested is read by On-Demand.
    if (parser_.allocate(limits.frame_size) != simdjson::SUCCESS) throw std::bad_alloc();
  }

  std::string_view kernel() const noexcept override { return WIREMARK_SIMDJSON_NAME; }

  bool decode(Bytes from, Message& into) noexcept override {
    ondemand::document document;
    ondemand::object object;
    if (!start(from, document) || document.get_object().get(object)) return false;
    unsigned seen = 0;
    for (auto item : object) {
      unsigned bit = 0;
      if (item.error() || !message_field(item.value_unsafe(), into, bit) || (seen & bit) != 0)
        return false;
      seen |= bit;
    }
    return seen == 7 && at_end(document);
  }

  bool take(Bytes packet, std::string_view key, ValueType type, Value& into) noexcept override {
    ondemand::document document;
    ondemand::object object;
    ondemand::value value;
    return start(packet, document) && !document.get_object().get(object) &&
           !object.find_field(key).get(value) && read(value, type, into);
  }

  bool take_checked(Bytes packet, std::string_view key, ValueType type,
                    Value& into) noexcept override {
    ondemand::document document;
    ondemand::object object;
    if (!start(packet, document) || document.get_object().get(object)) return false;
    bool found = false;
    for (auto item : object) {
      std::string_view name;
      if (item.error() || item.unescaped_key().get(name)) return false;
      ondemand::field& field = item.value_unsafe();
      const bool wanted = name == key;
      if (wanted && found) return false;
      if (!(wanted ? read(field.value(), type, into) : is_json(field.value()))) return false;
      found |= wanted;
    }
    return found && at_end(document);
  }

 private:
  bool start(Bytes from, ondemand::document& document) noexcept {
    if (from.empty() || from.size() > limits_.frame_size) return false;
    // Newer releases of simdjson skip a byte order mark, which RFC 8259 (8.1) forbids to send.
    if (as_text(from).starts_with("\xef\xbb\xbf")) return false;
    // The padding may hold anything; it only has to be readable.
    std::memcpy(padded_, from.data(), from.size());
    size_ = from.size();
    return !parser_.iterate(padded_, size_, size_ + simdjson::SIMDJSON_PADDING).get(document);
  }

  static bool at_end(ondemand::document& document) noexcept {
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

  [[gnu::always_inline]] bool message_field(ondemand::field& field, Message& into,
                                            unsigned& bit) noexcept {
    const char* key = field.key().raw();
    if (is_name(key, "head")) {
      bit = 1;
    } else if (is_name(key, "guid")) {
      bit = 2;
    } else if (is_name(key, "content")) {
      bit = 4;
    } else {
      std::string_view name;
      if (field.unescaped_key().get(name)) return false;
      bit = name == "head" ? 1 : name == "guid" ? 2 : name == "content" ? 4 : 0;
    }
    switch (bit) {
      case 1:
        return integer(field.value(), into.head);
      case 2:
        return integer(field.value(), into.guid);
      case 4:
        return !field.value().get_string().get(into.content);
      default:
        return is_json(field.value());
    }
  }

  /// Whether a NUL follows a number, which On-Demand would accept.
  static bool ends_in_nul(ondemand::value& value) noexcept {
    const char* at = value.raw_json_token().data();
#ifdef __SSE2__
    // Nearly always 16 bytes hold the number and what ends it; the padding makes them readable.
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8(',')),
                                      _mm_cmpeq_epi8(block, _mm_set1_epi8('}')));
    const __m128i nuls = _mm_cmpeq_epi8(block, _mm_setzero_si128());
    if (_mm_movemask_epi8(ends) != 0 && _mm_movemask_epi8(nuls) == 0) return false;
#endif
    while (*at > ' ' && *at != ',' && *at != '}') ++at;
    return *at == '\0';
  }

  /// simdjson 3.0 misreads fractions of 20 digits or more.
  static bool may_be_misread(ondemand::value& value) noexcept {
    return value.raw_json_token().size() >= 20;
  }

  /// Whether `real`, read from digits, rounds to the float that is nearest to those digits. That is
  /// unknown for a double halfway between two floats, and for the smallest ones, whose halfway
  /// points are elsewhere.
  static bool rounds_once(double real) noexcept {
    constexpr std::uint64_t kDropped = (std::uint64_t{1} << 29) - 1;
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 28;
    const double size = std::abs(real);
    return real == 0 || (size >= std::numeric_limits<float>::min() &&
                         size <= std::numeric_limits<float>::max() &&
                         (std::bit_cast<std::uint64_t>(real) & kDropped) != kHalf);
  }

  template <class T>
  [[gnu::always_inline]] static bool integer(ondemand::value& value, T& into) noexcept {
    if (ends_in_nul(value)) return false;
    std::int64_t number = 0;
    if (value.get_int64().get(number) || !in_range<T>(number)) return false;
    into = static_cast<T>(number);
    return true;
  }

  bool is_json(ondemand::value& value) noexcept {
    JsonWalker walker(as_bytes({padded_, size_}), limits_.depth);
    walker.seek(static_cast<std::size_t>(value.raw_json_token().data() - padded_));
    // To On-Demand all of "1//" is one number, so what follows the value is checked as well.
    bool more = false;
    return walker.value(1) && walker.next_member(false, more);
  }

  template <class T>
  static bool integer_value(ondemand::value& value, Value& into) noexcept {
    T number = 0;
    if (!integer(value, number)) return false;
    into = number;
    return true;
  }

  static bool read(ondemand::value value, ValueType type, Value& into) noexcept {
    std::string_view text;
    std::uint64_t natural = 0;
    double real = 0;
    switch (type) {
      case ValueType::text:
        if (value.get_string().get(text)) return false;
        into = text;
        return true;
      case ValueType::int32:
        return integer_value<std::int32_t>(value, into);
      case ValueType::uint32:
        return integer_value<std::uint32_t>(value, into);
      case ValueType::int64:
        return integer_value<std::int64_t>(value, into);
      case ValueType::uint64:
        if (ends_in_nul(value) || value.get_uint64().get(natural)) return false;
        into = natural;
        return true;
      case ValueType::float32:
      case ValueType::float64:
        if (ends_in_nul(value) || may_be_misread(value) || value.get_double().get(real)) {
          return false;
        }
        if (type == ValueType::float64) {
          into = real;
          return true;
        }
        if (!rounds_once(real)) return false;
        into = static_cast<float>(real);
        return true;
    }
    return false;
  }

  // simdjson reads blocks of this size; aligned to it, each is in one cache line.
  static constexpr std::size_t kLine = 64;

  Limits limits_;
  ondemand::parser parser_;
  std::unique_ptr<char[]> memory_;
  char* padded_;  // Points into memory_.
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<SimdjsonReader> WIREMARK_SIMDJSON_MAKE(Limits limits);
std::unique_ptr<SimdjsonReader> WIREMARK_SIMDJSON_MAKE(Limits limits) {
  return std::make_unique<Reader>(limits);
}

}  // namespace wiremark::wire
