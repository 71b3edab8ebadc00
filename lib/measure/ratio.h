// Ratios of paired rounds, with their spread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace wiremark::measure {

/// The middle of several figures and how far they lie apart.
struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t rounds = 0;
};

/// Of figures of one kind, one per round; for an even number the median lies halfway between the
/// middle two. None without figures.
std::optional<Spread> spread_of(std::vector<double> figures);

/// Of first / second, round by round: two runs of one round share the machine's mood, so the ratio
/// is taken before the median. Rounds with a figure that is not above 0 are left out; none when
/// no round is left.
std::optional<Spread> ratio_of(std::span<const std::pair<double, double>> rounds);

}  // namespace wiremark::measure
