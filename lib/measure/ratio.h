// Ratios of paired rounds, and how well a few rounds know them.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// What is asked of an interval before something is concluded from it, and how many rounds it
/// takes: paired, or of each of two samples.
inline constexpr double kConfidence = 0.95;
inline constexpr std::size_t kPairedRoundsMin = 6;
inline constexpr std::size_t kUnpairedRoundsMin = 7;

/// A median, and the interval that holds the true one: that of as many rounds as one likes.
struct MedianInterval {
  double median = 0;
  double lower = 0;
  double upper = 0;
  double confidence = 0;   ///< Of the interval, as it is: 0 to 1, exact for an interval of rounds.
  std::size_t rounds = 0;  ///< Of two samples, the smaller number.
};

/// By order statistics: from the k-th lowest to the k-th highest figure, k as high as `confidence`
/// allows. It takes independent rounds and nothing else, whatever their distribution: each of n
/// lies below the true median with a chance of 1/2, so the interval misses it with that of at most
/// k - 1 of n on one side, twice. That of too few rounds is the lowest to the highest, with what
/// confidence it has. None without figures. (David and Nagaraja, Order Statistics, 2003,
/// section 7.1.)
std::optional<MedianInterval> median_interval(std::vector<double> figures,
                                              double confidence = kConfidence);

/// Of first / second, round by round, as ratio_of() has it.
std::optional<MedianInterval> paired_ratio(std::span<const std::pair<double, double>> rounds,
                                           double confidence = kConfidence);

/// Of first / second, which were measured at different times and have no pairs: from the lower end
/// of the one interval over the upper end of the other, to the opposite. Each is asked for half of
/// what `confidence` leaves to chance, and the sum of both is what is left then (Bonferroni): it
/// holds the true ratio more often than it says. Figures that are not
/// above 0 are left out; none when either has none.
std::optional<MedianInterval> unpaired_ratio(std::span<const double> first,
                                             std::span<const double> second,
                                             double confidence = kConfidence);

/// Where a true median lies.
enum class Side : std::uint8_t {
  below,
  above,
  undecided,  ///< The interval straddles the line, or it is not sure enough.
};

/// On which side of `line` all of the interval is, if that is sure with `confidence`.
Side side_of(const MedianInterval& interval, double line, double confidence = kConfidence);

}  // namespace wiremark::measure
