// Small text files of /proc and /sys, read whole and taken apart word by word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wiremark::measure {

/// The whole file. Errors: those of open(2) and read(2).
Result<std::string> read_text(const std::string& path);

/// Cuts the next word, between blanks, off the front; empty when there is none.
std::string_view take_word(std::string_view& text) noexcept;

/// Cuts the next word off the front when it is an unsigned decimal number.
std::optional<std::uint64_t> take_number(std::string_view& text) noexcept;

/// The number that follows the first `key`, blanks skipped.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) noexcept;

/// What a counter of such a file grew by; 0 where it went backwards (another process, another boot).
std::uint64_t growth(std::uint64_t later, std::uint64_t earlier) noexcept;

}  // namespace wiremark::measure
