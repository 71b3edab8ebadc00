// What a ratio of two figures lets be concluded, as one sentence.
#include "measure/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wiremark::measure {

std::size_t rounds_that_might(const MedianInterval& ratio, double line, std::size_t least) {
  const double distance = std::abs(std::log(ratio.median / line));
  const double reach =
      std::log(ratio.median > line ? ratio.median / ratio.lower : ratio.upper / ratio.median);
  const double needed = static_cast<double>(ratio.rounds) * (reach / distance) * (reach / distance);
  // Of figures that are all the same, reach and distance are 0.
  if (!(needed <= static_cast<double>(kRoundsWorthMax))) return 0;
  return std::max({static_cast<std::size_t>(std::ceil(needed)), ratio.rounds + 1, least});
}

std::string in_words(const MedianInterval& ratio) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f}, {:.1f} % confidence, {} round{})", ratio.median,
                     ratio.lower, ratio.upper, 100 * ratio.confidence, ratio.rounds,
                     ratio.rounds == 1 ? "" : "s");
}

std::string conclusion(const MedianInterval& ratio, std::string_view one, std::string_view other,
                       std::string_view figure, std::size_t least) {
  if (side_of(ratio, 1) != Side::undecided)
    return fmt::format("{} has {} of {}'s {}", one, in_words(ratio), other, figure);
  const std::size_t rounds = rounds_that_might(ratio, 1, least);
  const std::string more = rounds > 0 ? fmt::format("{} rounds might", rounds)
                                      : fmt::format("not even {} rounds might", kRoundsWorthMax);
  return fmt::format("cannot tell {} and {} apart by {}: {}; {}", one, other, figure,
                     in_words(ratio), more);
}

}  // namespace wiremark::measure
