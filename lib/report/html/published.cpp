// Published figures and ours in one picture.
#include "report/html/published.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "measure/quantity.h"
#include "picture/charts.h"

namespace wiremark::report {

using namespace measure;

namespace {

constexpr std::size_t kGrey = 7;  // Of the published, whatever colours ours have.
constexpr std::size_t kOurs = 0;
// Bars that differ by more are hardly seen on a linear axis.
constexpr double kLinearMax = 30;

std::string figure_text(double value) { return picture::without_zeros(format_number(value)); }

std::string span_text(double low, double high) {
  return low == high ? figure_text(low)
                     : fmt::format("{} to {}", figure_text(low), figure_text(high));
}

picture::Bar bar_of_published(const Published& one) {
  picture::Bar bar{one.row + ", published", kGrey, (one.low + one.high) / 2,
                   span_text(one.low, one.high)};
  if (one.low != one.high) bar.low = one.low, bar.high = one.high;
  return bar;
}

picture::Bar bar_of_ours(const Published& one) {
  picture::Bar bar{one.row + ", here", kOurs, one.ours.value_or(0),
                   one.ours ? figure_text(*one.ours) : "no figure to compare"};
  bar.low = one.ours_low, bar.high = one.ours_high;
  // Beside a range stands a range.
  if (one.low != one.high && bar.low && bar.high) bar.label = span_text(*bar.low, *bar.high);
  return bar;
}

picture::Axis axis_of(const std::string& title, const std::vector<double>& values) {
  picture::Axis axis;
  axis.title = title;
  axis.label = figure_text;
  std::vector<double> positive = values;
  std::erase_if(positive, [](double value) { return value <= 0; });
  if (positive.empty()) return picture::from_zero(axis, 1);
  const auto [least, most] = std::ranges::minmax(positive);
  if (most <= kLinearMax * least) return picture::from_zero(axis, most);
  axis.title += " (logarithmic)";
  return picture::around(axis, positive);
}

void add_picture(Page& page, const std::string& title, const std::vector<Published>& rows) {
  picture::Bars chart;
  chart.caption = {"Published and here: " + title,
                   "Two bars in each row: what was published, and what was measured here."};
  HtmlTable table{{"row", "published", "here", "from, to"}, {}};
  std::vector<double> values;
  bool has_interval = false;
  for (const Published& one : rows) {
    for (picture::Bar& bar : std::vector{bar_of_published(one), bar_of_ours(one)}) {
      values.insert(values.end(), {bar.value, bar.low.value_or(0), bar.high.value_or(0)});
      chart.bars.push_back(std::move(bar));
    }
    has_interval |= one.ours_low && one.ours_high;
    table.rows.push_back(
        {one.row, span_text(one.low, one.high), one.ours ? figure_text(*one.ours) : "-",
         one.ours_low && one.ours_high ? span_text(*one.ours_low, *one.ours_high) : "-"});
  }
  chart.axis = axis_of(title, values);
  std::string note = "Grey: published, on the machines of then. Blue: here.";
  if (has_interval) note += " Line: from the lowest to the highest, or the interval that holds it.";
  page.figure(draw(chart), note, table);
}

}  // namespace

void add_published(Page& page, const std::vector<Published>& published) {
  std::vector<std::string> done;
  for (const Published& first : published) {
    if (std::ranges::find(done, first.picture) != done.end()) continue;
    done.push_back(first.picture);
    std::vector<Published> rows;
    std::ranges::copy_if(published, std::back_inserter(rows),
                         [&](const Published& one) { return one.picture == first.picture; });
    add_picture(page, first.picture, rows);
  }
}

}  // namespace wiremark::report
