// Ratios of paired rounds as marks, each on the line of its interval.
#include "report/html/ratios.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "measure/ratio.h"
#include "picture/charts.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string tick_of(double value) { return fmt::format("{:.4g}", value); }

std::string in_words(const MedianInterval& interval) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", interval.median, interval.lower, interval.upper);
}

std::optional<MedianInterval> interval_of(const RatioRow& row) {
  std::vector<std::pair<double, double>> pairs;
  for (const RoundPair& round : row.rounds) pairs.emplace_back(round.one, round.base);
  return paired_ratio(pairs);
}

std::vector<picture::Dot> dots_of(const RatioRow& row) {
  std::vector<picture::Dot> dots;
  for (std::size_t i = 0; i < row.rounds.size(); ++i) {
    const auto& [one, base, doubtful] = row.rounds[i];
    if (!(one > 0) || !(base > 0)) continue;
    dots.push_back({one / base, doubtful, fmt::format("round {}: {:.3f}", i + 1, one / base)});
  }
  return dots;
}

}  // namespace

void add_ratios(Page& page, std::string title, const std::string& base,
                const std::vector<RatioRow>& rows, bool dots) {
  picture::Bars chart;
  chart.line = 1;
  chart.caption = {std::move(title),
                   "A mark for each figure of each of the others: the median of the ratios of the "
                   "rounds, on a line that is their interval. Where the line crosses 1, no "
                   "difference was found."};
  HtmlTable table{{"figure", "ratio", "from", "to", "confidence", "rounds"}, {}};
  double low = 0.95;
  double high = 1.05;
  for (const RatioRow& row : rows) {
    const auto interval = interval_of(row);
    if (!interval) continue;
    picture::Bar& bar = chart.bars.emplace_back(
        picture::Bar{row.name, row.colour, interval->median, in_words(*interval)});
    bar.low = interval->lower;
    bar.high = interval->upper;
    bar.doubtful = side_of(*interval, 1) == Side::undecided;
    low = std::min(low, interval->lower);
    high = std::max(high, interval->upper);
    if (dots) bar.dots = dots_of(row);
    for (const picture::Dot& dot : bar.dots) {
      low = std::min(low, dot.value);
      high = std::max(high, dot.value);
    }
    table.rows.push_back(
        {row.name, fmt::format("{:.3f}", interval->median), fmt::format("{:.3f}", interval->lower),
         fmt::format("{:.3f}", interval->upper),
         fmt::format("{:.1f} %", 100 * interval->confidence), fmt::format("{}", interval->rounds)});
  }
  if (chart.bars.empty()) return;
  chart.axis = {"times " + base + " (logarithmic)", picture::Spacing::logarithmic, low / 1.02,
                high * 1.02, tick_of};
  page.figure(
      draw(chart),
      std::string("Line: the interval of the median ratio, with the confidence in the "
                  "table. ") +
          (dots ? "Dots: the rounds, rings those with a figure that is not to be trusted. " : "") +
          "A hollow mark: no difference is shown, or by too few rounds.",
      table);
}

}  // namespace wiremark::report
