// Ratios of paired rounds, and how well a few rounds know them.
#include "measure/ratio.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wiremark::measure {

namespace {

// `figures` are sorted and not empty.
double median_of(const std::vector<double>& figures) {
  const std::size_t middle = figures.size() / 2;
  return figures.size() % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
}

std::vector<double> ratios_of(std::span<const std::pair<double, double>> rounds) {
  std::vector<double> ratios;
  for (const auto& [first, second] : rounds) {
    if (first > 0 && second > 0 && std::isfinite(first / second)) ratios.push_back(first / second);
  }
  return ratios;
}

std::vector<double> above_zero(std::span<const double> figures) {
  std::vector<double> kept;
  for (const double figure : figures) {
    if (figure > 0 && std::isfinite(figure)) kept.push_back(figure);
  }
  return kept;
}

struct Rank {
  std::size_t from_ends = 1;  // The k-th lowest and the k-th highest.
  double missed = 1;          // The chance that the true median lies outside.
};

// Adds up the chances of 0, 1, 2 and more heads in n throws while they stay within `may_miss`. By
// logarithms, since 2^-n is 0 as a double for n above 1,074.
Rank rank_for(std::size_t n, double may_miss) {
  double log_chance = -static_cast<double>(n) * std::numbers::ln2;
  double missed = 2 * std::exp(log_chance);
  Rank rank{1, std::min(missed, 1.0)};
  for (std::size_t heads = 1; 2 * (heads + 1) <= n; ++heads) {
    log_chance += std::log(static_cast<double>(n - heads + 1) / static_cast<double>(heads));
    missed += 2 * std::exp(log_chance);
    if (missed > may_miss) break;
    rank = {heads + 1, missed};
  }
  return rank;
}

}  // namespace

std::optional<Spread> spread_of(std::vector<double> figures) {
  if (figures.empty()) return std::nullopt;
  std::ranges::sort(figures);
  return Spread{median_of(figures), figures.front(), figures.back(), figures.size()};
}

std::optional<Spread> ratio_of(std::span<const std::pair<double, double>> rounds) {
  return spread_of(ratios_of(rounds));
}

std::optional<MedianInterval> median_interval(std::vector<double> figures, double confidence) {
  if (figures.empty()) return std::nullopt;
  std::ranges::sort(figures);
  const Rank rank = rank_for(figures.size(), 1 - confidence);
  return MedianInterval{.median = median_of(figures),
                        .lower = figures[rank.from_ends - 1],
                        .upper = figures[figures.size() - rank.from_ends],
                        .confidence = 1 - rank.missed,
                        .rounds = figures.size()};
}

std::optional<MedianInterval> paired_ratio(std::span<const std::pair<double, double>> rounds,
                                           double confidence) {
  return median_interval(ratios_of(rounds), confidence);
}

std::optional<MedianInterval> unpaired_ratio(std::span<const double> first,
                                             std::span<const double> second, double confidence) {
  const double each = 1 - (1 - confidence) / 2;
  const auto one = median_interval(above_zero(first), each);
  const auto other = median_interval(above_zero(second), each);
  if (!one || !other) return std::nullopt;
  return MedianInterval{.median = one->median / other->median,
                        .lower = one->lower / other->upper,
                        .upper = one->upper / other->lower,
                        .confidence = std::max(one->confidence + other->confidence - 1, 0.0),
                        .rounds = std::min(one->rounds, other->rounds)};
}

Side side_of(const MedianInterval& interval, double line, double confidence) {
  if (interval.confidence < confidence) return Side::undecided;
  if (interval.lower > line) return Side::above;
  if (interval.upper < line) return Side::below;
  return Side::undecided;
}

}  // namespace wiremark::measure
