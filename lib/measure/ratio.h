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

/// Of first / second, round by round: what slows the machine slows both runs of a round, so the
/// ratio is taken before the median. Rounds with a figure that is not above 0 are left out; none
/// when no round is left.
std::optional<Spread> ratio_of(std::span<const std::pair<double, double>> rounds);

/// What is asked of an interval before something is concluded from it, and how many rounds it
/// takes: paired, or of each of two samples.
inline constexpr double kConfidence = 0.95;
inline constexpr std::size_t kPairedRoundsMin = 6;
inline constexpr std::size_t kUnpairedRoundsMin = 7;

/// A median of some rounds, and the interval that holds the median of endlessly many.
struct MedianInterval {
  double median = 0;
  double lower = 0;
  double upper = 0;
  double confidence = 0;   ///< That the interval holds it: 0 to 1; exact for paired rounds.
  std::size_t rounds = 0;  ///< Of two samples, the smaller number.
};

/// By order statistics: from the k-th lowest to the k-th highest figure, k as high as `confidence`
/// allows. The rounds must be independent; their distribution does not matter. Each of n rounds
/// lies below the true median with a chance of 1/2, so the interval misses it on one side with the
/// chance of at most k - 1 heads in n throws, and as often on the other. With too few rounds it is
/// the lowest to the highest, and `confidence` says how little that is worth. None without figures.
/// (David and Nagaraja, Order Statistics, 2003, section 7.1.)
std::optional<MedianInterval> median_interval(std::vector<double> figures,
                                              double confidence = kConfidence);

/// Of first / second, round by round, as ratio_of() has it.
std::optional<MedianInterval> paired_ratio(std::span<const std::pair<double, double>> rounds,
                                           double confidence = kConfidence);

/// Of first / second, measured at different times and so without pairs: from the lower end of the
/// one interval over the upper end of the other, to the opposite. Each interval may miss by half of
/// what `confidence` allows, so both together miss by no more than all of it (Bonferroni); in truth
/// less often. Figures that are not above 0 are left out; none when either sample has none.
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
