// Rows of codecbench as bars.
#include "report/html/codecs.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "measure/codec_conclusion.h"
#include "measure/quantity.h"
#include "picture/charts.h"
#include "report/html/latency.h"

namespace wiremark::report {

using namespace measure;

namespace {

// Batches apart by more than this are those of a machine that did other things meanwhile.
constexpr double kSpreadPctMax = 10;
// A page stays under 300 KB: behind this much of it rows are not drawn, and stand in tables, which
// are a third of that.
constexpr std::size_t kDrawnBytesMax = 200'000;

std::string group_of(const CellName& name) {
  std::string group = fmt::format("{}, {}", name.workload, name.op);
  if (!name.shape.empty()) group += ", " + name.shape;
  if (name.size > 0) group += fmt::format(", {}", format_count(name.size));
  if (name.access == Access::cold) group += ", cold";
  return group;
}

std::string row_of(const CellName& name) {
  std::string row = name.row();
  if (name.labels.result != "view") row += ", " + name.labels.result;
  if (!name.labels.validated) row += ", unchecked";
  if (name.labels.object != "none") row += ", " + name.labels.object;
  return row;
}

// A nanosecond has digits behind its point here: some operations take less than two.
std::string time_of(double ns) { return ns < 999.5 ? format_number(ns) + " ns" : format_time(ns); }

void add_group(Page& page, const std::string& group, const std::vector<const Cell*>& cells,
               const std::vector<std::string>& formats) {
  picture::Bars chart;
  chart.caption = {"Time of one operation: " + group,
                   "A bar for each row on a logarithmic axis: the median of its batches, with a "
                   "line from the fastest batch to the one that 99 of 100 are faster than."};
  HtmlTable table{{"row", "median", "fastest", "99th percentile", "spread", "size on the wire"},
                  {}};
  std::vector<double> times;
  for (const Cell* cell : cells) {
    const CellFigures& figures = cell->figures;
    const auto colour = std::ranges::find(formats, cell->name.format) - formats.begin();
    const std::string median = time_of(figures.ns_p50);
    picture::Bar bar{row_of(cell->name), static_cast<std::size_t>(colour), figures.ns_p50, median};
    bar.low = figures.ns_min;
    bar.high = figures.ns_p99;
    bar.doubtful = figures.spread_pct > kSpreadPctMax;
    times.insert(times.end(), {figures.ns_min, figures.ns_p50, figures.ns_p99});
    table.rows.push_back({bar.name, median, time_of(figures.ns_min), time_of(figures.ns_p99),
                          format_share(figures.spread_pct),
                          fmt::format("{} B", format_number(figures.wire_bytes))});
    chart.bars.push_back(std::move(bar));
  }
  if (page.size() > kDrawnBytesMax) {
    page.paragraph(group);
    return page.table(table);
  }
  chart.axis = time_axis("time of one operation (logarithmic)", times);
  std::string note = "Bar: median of the batches. Line: fastest to 99th percentile.";
  if (std::ranges::any_of(chart.bars, &picture::Bar::doubtful))
    note += fmt::format(" Hatched: the repeats lie over {} apart.", format_share(kSpreadPctMax));
  page.figure(draw(chart), note, table);
}

}  // namespace

void add_codecs(Page& page, const std::vector<Cell>& cells) {
  std::vector<std::string> formats;
  std::vector<std::pair<std::string, std::vector<const Cell*>>> groups;
  std::vector<std::string> refused;
  for (const Cell& cell : cells) {
    if (cell.figures.batches == 0) {
      refused.push_back(
          fmt::format("{}: {}", cell.name.key(), cell.refused.value_or("not measured")));
      continue;
    }
    const std::string& format = cell.name.format;
    if (std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
    const std::string group = group_of(cell.name);
    auto known = std::ranges::find(groups, group, [](const auto& each) { return each.first; });
    if (known == groups.end()) known = groups.insert(groups.end(), {group, {}});
    known->second.push_back(&cell);
  }
  const std::string conclusion = conclusion_of(cells);
  if (!conclusion.empty()) page.paragraph("Conclusion: " + conclusion);
  if (!refused.empty()) page.paragraph("Refused: the check before timing failed", "bad");
  page.list(refused);
  for (const auto& [group, rows] : groups) add_group(page, group, rows, formats);
}

}  // namespace wiremark::report
