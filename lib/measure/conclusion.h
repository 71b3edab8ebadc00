// What a ratio of two figures lets be concluded, as one sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "measure/ratio.h"

namespace wiremark::measure {

/// More rounds than this are not worth asking for: what takes them is level.
inline constexpr std::size_t kRoundsWorthMax = 1000;

/// How many rounds might put the interval on one side of `line`, if they spread as these do: an
/// interval narrows with the root of their number. At least `least`, the rounds that a sure
/// interval takes. 0 where more than kRoundsWorthMax would be needed. For a ratio above 0.
std::size_t rounds_that_might(const MedianInterval& ratio, double line,
                              std::size_t least = kPairedRoundsMin);

/// "0.94 (0.91 to 0.97, 96.9 % confidence, 6 rounds)".
std::string in_words(const MedianInterval& ratio);

/// "uring has 0.94 (0.91 to 0.97, 96.9 % confidence, 6 rounds) of epoll's server CPU per message",
/// or where 1 is within the interval, or too few rounds make it, "cannot tell uring and epoll apart
/// by" that, with the ratio and how many rounds might. test/bench/ratio.py has the same words.
std::string conclusion(const MedianInterval& ratio, std::string_view one, std::string_view other,
                       std::string_view figure, std::size_t least = kPairedRoundsMin);

}  // namespace wiremark::measure
