// Ratios of paired rounds, with their spread.
#include "measure/ratio.h"

#include <algorithm>
#include <cmath>

namespace wiremark::measure {

std::optional<Spread> spread_of(std::vector<double> figures) {
  if (figures.empty()) return std::nullopt;
  std::ranges::sort(figures);
  const std::size_t middle = figures.size() / 2;
  const double median =
      figures.size() % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
  return Spread{median, figures.front(), figures.back(), figures.size()};
}

std::optional<Spread> ratio_of(std::span<const std::pair<double, double>> rounds) {
  std::vector<double> ratios;
  for (const auto& [first, second] : rounds) {
    if (first > 0 && second > 0 && std::isfinite(first / second)) ratios.push_back(first / second);
  }
  return spread_of(std::move(ratios));
}

}  // namespace wiremark::measure
