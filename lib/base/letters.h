// Texts that are one but for capital letters.
#pragma once

#include <algorithm>
#include <string_view>

namespace wiremark {

/// Whether `text` is `lower`, which has no capital letters, however its ASCII letters are written.
/// Without the C library's tolower(), which looks the locale up for each of them.
inline bool same_letters(std::string_view text, std::string_view lower) noexcept {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return a == b || (b >= 'a' && b <= 'z' && a == (b ^ 0x20));
  });
}

}  // namespace wiremark
