// Passes the members of an object that are short and plain, without a look at each of their bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/json/walker.h"
#include "wire/json/window.h"

namespace wiremark::wire {
namespace {

/// A name of up to three bytes, to be compared with its closing quote.
class ShortName {
 public:
  static constexpr std::size_t kMax = 3;

  explicit ShortName(std::string_view name) noexcept
      : size_(name.size()), mask_(~std::uint32_t{0} >> (8 * (kMax - size_))) {
    bytes_ = std::uint32_t{'"'} << (8 * size_);
    for (std::size_t i = 0; i < size_; ++i)
      bytes_ |= std::uint32_t{std::uint8_t(name[i])} << (8 * i);
  }

  std::size_t size() const noexcept { return size_; }
  /// Whether it stands at `text`, of which four bytes are readable.
  bool is_at(const char* text) const noexcept {
    const auto bytes = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(text));
    return (bytes & mask_) == bytes_;
  }

 private:
  std::size_t size_;
  std::uint32_t mask_;
  std::uint32_t bytes_;
};

/// Where the text or the number without an exponent that starts at `at` ends; 0 where there is
/// none, or where the window ends before it or with it.
inline std::size_t value_end(const JsonWindow& window, const char* text, std::size_t at) {
  if (text[at] == '"') {
    const std::size_t end = window.text_end(at + 1);
    return end == 0 || text[end] != '"' || end + 1 == window.size() ? 0 : end + 1;
  }
  // The first byte may be a sign: where the digits end is then known before it has been looked at.
  const std::size_t end = window.digits_end(at + 1);
  if (end == 0) return 0;
  const std::size_t first = at + (text[at] == '-' ? 1 : 0);
  const auto leading = static_cast<unsigned>(text[first] - '0');
  if (leading > 9 || (leading == 0 && end - first > 1)) return 0;
  if (text[end] != '.') return end;
  if (end + 1 == window.size()) return 0;
  const std::size_t fraction_end = window.digits_end(end + 1);
  return fraction_end <= end + 1 ? 0 : fraction_end;
}

/// JsonWalker::pass_plain() as far as the window reaches. `at` and `found` are places in it.
inline bool pass_in(const JsonWindow& window, const char* text, const ShortName& name,
                    std::size_t& at, std::size_t& found) {
  const std::uint64_t quote = std::uint64_t{1} << name.size();
  const std::uint64_t up_to_quote = 2 * quote - 1;
  while (at + 1 < window.size() && text[at] == '"') {
    // Names are mostly of one size: by a branch, what follows does not wait until it is known.
    const std::size_t start = at + 1;
    const bool alike = (window.odd_from(start) & up_to_quote) == quote;
    std::size_t value = start + name.size() + 2;
    if (!alike) [[unlikely]] {
      const std::size_t end = window.text_end(start);
      if (end == 0) return false;
      value = end + 2;
    }
    // With the value's first byte and one more there are four behind the opening quote.
    if (value + 1 >= window.size() || text[value - 2] != '"' || text[value - 1] != ':')
      return false;
    const std::size_t end = value_end(window, text, value);
    if (end == 0 || (text[end] != ',' && text[end] != '}')) return false;
    if (alike && name.is_at(text + start)) [[unlikely]] {
      if (found != 0) return false;
      found = value;
    }
    at = end + 1;
    if (text[end] == '}') return true;
  }
  return false;
}

}  // namespace

bool JsonWalker::pass_plain(std::string_view name, std::size_t& found) noexcept {
  if (name.size() > ShortName::kMax || text_.size() < kJsonBlock) return false;
  const ShortName wanted(name);
  JsonWindow window;
  for (;;) {
    window.move(text_, at_);
    const std::size_t start = at_ - window.first();
    std::size_t place = start;
    std::size_t value = found;
    const bool ended = pass_in(window, text_.data() + window.first(), wanted, place, value);
    if (value != found) found = window.first() + value;
    at_ = window.first() + place;
    if (ended) return true;
    if (place == start || window.first() + window.size() == text_.size()) return false;
  }
}

}  // namespace wiremark::wire
