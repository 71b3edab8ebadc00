// What stores that are asked for a value by its key have in common: they have it, or they do not.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/letters.h"
#include "wire/framing/step.h"

namespace wiremark::load {

/// Answers to reads are counted as hits and misses, and others are not.
struct HitsAndMisses {
  static bool has_kind(const wire::Asked& asked) noexcept { return asked.reads; }
  static std::uint16_t kind(const wire::Step& step) noexcept { return step.status; }
  static std::string name_of_kind(std::uint16_t kind) {
    return kind == wire::kHit ? "hit" : "miss";
  }
};

/// Whether a word is one of these, which are lower case, however it is written.
inline bool is_one_of(std::string_view word, std::span<const std::string_view> names) noexcept {
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return same_letters(word, name); });
}

}  // namespace wiremark::load
