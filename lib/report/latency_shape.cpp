// The shape of a latency in one line, for a terminal.
#include "report/latency_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

namespace {

// A line of the report has a label of 14 columns and two times of up to 10 around it.
constexpr std::size_t kColumns = 40;
constexpr std::array<std::string_view, 9> kBlocks = {
    " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr std::array<std::string_view, 9> kAscii = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

}  // namespace

std::string latency_shape(const LatencySummary& latency, Letters letters) {
  const auto histogram = restore(latency);
  if (letters == Letters::none || !histogram || histogram->empty()) return {};
  const double low = std::log(std::max<double>(static_cast<double>(histogram->min()), 1));
  const double high = std::log(std::max<double>(static_cast<double>(histogram->max()), 1));
  std::array<double, kColumns> counts{};
  histogram->for_each([&](const Histogram::Bucket& bucket) {
    const double at = std::log(std::max<double>(static_cast<double>(bucket.middle()), 1));
    const double part = high > low ? std::clamp((at - low) / (high - low), 0.0, 1.0) : 0;
    const auto column = static_cast<std::size_t>(part * kColumns);
    counts[std::min(column, kColumns - 1)] += static_cast<double>(bucket.count);
  });
  const double most = *std::ranges::max_element(counts);
  const auto& drawn = letters == Letters::blocks ? kBlocks : kAscii;
  std::string line;
  for (const double count : counts) {
    const double height = std::sqrt(count / most) * static_cast<double>(drawn.size() - 1);
    line += drawn[static_cast<std::size_t>(std::ceil(height))];
  }
  return fmt::format("{} {} {}", format_time(histogram->min()), line,
                     format_time(histogram->max()));
}

}  // namespace wiremark::report
