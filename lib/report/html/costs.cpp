// Processor time per message as bars, with each round as a dot.
#include "report/html/costs.h"

#include <fmt/core.h>

#include <algorithm>

#include "measure/quantity.h"
#include "measure/ratio.h"
#include "report/html/doubt.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string format_us(double us) { return fmt::format("{} us", format_number(us)); }

}  // namespace

std::string cost_cell(std::optional<double> us) {
  return us ? format_time(*us * kMicrosecond) : "-";
}

std::vector<picture::Dot> dots_of(const Rounds& rounds, FigureOf figure, const char* judged,
                                  std::string (*format)(double)) {
  std::vector<picture::Dot> dots;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto value = figure(rounds[i]);
    if (!value) continue;
    const auto& verdict = rounds[i].verdict;
    const bool invalid = doubtful(rounds[i], judged);
    dots.push_back(
        {*value, invalid,
         fmt::format("round {}: {}{}", i + 1, format(*value),
                     invalid ? ", " + verdict->words() + ": " + verdict->reasons.front() : "")});
  }
  return dots;
}

picture::Bar bar_of(const CostRow& row, std::string (*format)(double)) {
  picture::Bar bar{row.name, row.colour, 0, "", {}};
  std::vector<double> figures;
  for (const picture::Dot& dot : row.rounds) figures.push_back(dot.value);
  const auto spread = measure::spread_of(figures);
  if (!spread) return bar;
  bar.value = spread->median;
  bar.label = format(spread->median);
  const auto doubted = std::ranges::count_if(row.rounds, &picture::Dot::doubtful);
  bar.doubtful = static_cast<std::size_t>(doubted) * 2 > row.rounds.size();
  if (row.rounds.size() == 1) {
    bar.hint = row.rounds.front().hint;
    return bar;
  }
  bar.dots = row.rounds;
  bar.low = spread->min;
  bar.high = spread->max;
  return bar;
}

void add_costs(Page& page, const std::vector<CostRow>& rows) {
  picture::Bars chart;
  chart.caption = {"Processor time per message",
                   "A bar for each end of the wire: the median of the rounds, each of which is a "
                   "dot on a line from the lowest to the highest."};
  HtmlTable table{{"end", "median", "lowest", "highest", "rounds"}, {}};
  double highest = 0;
  bool in_rounds = false;
  bool doubted = false;
  for (const CostRow& row : rows) {
    if (row.rounds.empty()) continue;
    const picture::Bar& bar = chart.bars.emplace_back(bar_of(row, format_us));
    highest = std::max(highest, bar.high.value_or(bar.value));
    in_rounds = in_rounds || bar.high;
    doubted = doubted || std::ranges::any_of(row.rounds, &picture::Dot::doubtful);
    table.rows.push_back({row.name, bar.label, format_us(bar.low.value_or(bar.value)),
                          format_us(bar.high.value_or(bar.value)),
                          fmt::format("{}", row.rounds.size())});
  }
  if (chart.bars.empty()) return;
  chart.axis.title = "us of processor time per message";
  chart.axis.label = [](double us) { return picture::without_zeros(format_number(us)); };
  chart.axis = picture::from_zero(chart.axis, highest);
  std::string note = in_rounds ? "Bar: median of the rounds. Line: lowest to highest." : "";
  if (doubted)
    note += in_rounds ? " Ring: a round that is not to be trusted; hatched: most are not."
                      : "Hatched: not to be trusted, as the verdict says.";
  page.figure(draw(chart), note, table);
}

}  // namespace wiremark::report
