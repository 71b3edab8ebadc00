// A text that is one number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace wiremark {

/// The decimal number that the whole of `text` is: digits, and for a signed type or a float what
/// std::from_chars() takes besides. None where it is none, is too large, or something follows.
template <class Number>
std::optional<Number> to_number(std::string_view text) noexcept {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && read == end ? std::optional(number) : std::nullopt;
}

}  // namespace wiremark
