// Compares a run with an earlier one, row by row: slower, faster, level, or undecided.
#include "codecbench/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/units.h"
#include "report/folding.h"
#include "report/json.h"

namespace wiremark::tools {
namespace {

std::string_view to_string(report::Answer answer) {
  switch (answer) {
    case report::Answer::slower:
      return "slower";
    case report::Answer::faster:
      return "faster";
    case report::Answer::level:
      return "level";
    case report::Answer::undecided:
      break;
  }
  return "undecided";
}

/// If the two runs are swapped, the answer is the opposite.
report::Answer judge(const measure::MedianInterval& ratio, double tolerance_pct) {
  using measure::Side;
  const double most = 1 + tolerance_pct / 100;
  const Side of_most = measure::side_of(ratio, most);
  const Side of_least = measure::side_of(ratio, 1 / most);
  if (of_most == Side::above) return report::Answer::slower;
  if (of_least == Side::below) return report::Answer::faster;
  if (of_most == Side::below && of_least == Side::above) return report::Answer::level;
  return report::Answer::undecided;
}

}  // namespace

Result<double> parse_tolerance(std::string_view text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const auto number = parse_count(digits);
  if (!number || *number > 1000) {
    return failed(fmt::format("'{}' is not a share such as 5%", text), {}, 0);
  }
  return *number;
}

Result<std::vector<Cell>> read_baseline(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return failed("open", path);
  auto document = report::parse_document(text.view());
  if (!document) return failed("read", path + " (" + document.error().message() + ")", 0);
  auto* table = std::get_if<report::CodecTable>(&*document);
  if (!table) return failed("read", path + " (it is not of codecbench: make one with --json)", 0);
  std::size_t repeats_most = 0;
  for (const Cell& cell : table->cells)
    repeats_most = std::max(repeats_most, cell.figures.repeats_ns.size());
  if (repeats_most < measure::kUnpairedRoundsMin) {
    return failed("read",
                  fmt::format("{} (it has {} repeats of a row: make it again, with {} or more)",
                              path, repeats_most, measure::kUnpairedRoundsMin),
                  0);
  }
  return std::move(table->cells);
}

Baseline compare_with(const std::vector<Cell>& before, const std::vector<Cell>& cells,
                      double tolerance_pct) {
  Baseline baseline{.file = {}, .tolerance_pct = tolerance_pct, .changes = {}, .missing = {}};
  for (const Cell& cell : cells) {
    if (cell.figures.batches == 0) continue;
    const std::string key = cell.name.key();
    const Cell* then = find_cell(before, key);
    const auto ratio =
        then ? measure::unpaired_ratio(cell.figures.repeats_ns, then->figures.repeats_ns)
             : std::nullopt;
    if (!ratio) {
      baseline.missing.push_back(key);
      continue;
    }
    baseline.changes.push_back({key, *ratio, judge(*ratio, tolerance_pct)});
  }
  return baseline;
}

std::string format_interval(const measure::MedianInterval& ratio) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f}, {:.1f} % sure)", ratio.median, ratio.lower,
                     ratio.upper, 100 * ratio.confidence);
}

std::string format_baseline(const Baseline& baseline, bool all) {
  std::string text = baseline.file.empty() ? "" : fmt::format("\nbaseline  {}\n", baseline.file);
  text += fmt::format("time now / then, tolerance {}%", baseline.tolerance_pct);
  if (!baseline.changes.empty()) {
    const Change& least = *std::ranges::min_element(
        baseline.changes, {}, [](const Change& change) { return change.ratio.confidence; });
    text += fmt::format(", each {:.1f} % sure", 100 * least.ratio.confidence);
  }
  text += '\n';
  for (const Change& change : baseline.changes) {
    const bool told =
        change.answer == report::Answer::slower || change.answer == report::Answer::faster;
    if (!told && !all) continue;
    const measure::MedianInterval& ratio = change.ratio;
    text += fmt::format(
        "  {:<10}{:<21} {}\n", to_string(change.answer),
        fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.median, ratio.lower, ratio.upper),
        change.key);
  }
  for (const std::string& key : baseline.missing) text += fmt::format("  new        {}\n", key);
  constexpr std::size_t kChange = 12;
  text = report::folded(text, kChange);
  if (baseline.changes.empty()) return text + "  FAILED     it has no row of this run\n";
  const std::size_t undecided = baseline.count(report::Answer::undecided);
  const auto counted = fmt::format(
      "  of {} rows {} slower, {} faster, {} level, {} undecided{}\n", baseline.changes.size(),
      baseline.count(report::Answer::slower), baseline.count(report::Answer::faster),
      baseline.count(report::Answer::level), undecided,
      undecided > 0 ? " (more --repeat, or a quieter machine, may tell)" : "");
  return text + report::folded(counted, 2);
}

}  // namespace wiremark::tools
