// A run beside an earlier one, row by row: what became slower, what faster, what cannot be told.
#include "codecbench/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/result.h"

namespace wiremark::tools {
namespace {

using nlohmann::json;

std::string_view to_string(Answer answer) {
  switch (answer) {
    case Answer::slower:
      return "slower";
    case Answer::faster:
      return "faster";
    case Answer::level:
      return "level";
    case Answer::undecided:
      break;
  }
  return "undecided";
}

/// Swapped, the two runs have the opposite answer.
Answer judge(const measure::MedianInterval& ratio, double tolerance_pct) {
  using measure::Side;
  const double most = 1 + tolerance_pct / 100;
  const Side of_most = measure::side_of(ratio, most);
  const Side of_least = measure::side_of(ratio, 1 / most);
  if (of_most == Side::above) return Answer::slower;
  if (of_least == Side::below) return Answer::faster;
  if (of_most == Side::below && of_least == Side::above) return Answer::level;
  return Answer::undecided;
}

std::vector<double> repeats_of(const json& cell) {
  std::vector<double> repeats;
  if (!cell.contains("repeats_ns") || !cell["repeats_ns"].is_array()) return repeats;
  for (const json& repeat : cell["repeats_ns"]) {
    if (repeat.is_number()) repeats.push_back(repeat.get<double>());
  }
  return repeats;
}

}  // namespace

Result<Baseline> read_baseline(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return failed("open", path);
  constexpr int kDepthMax = 16;  // The library copies deeper documents by recursion.
  const auto shallow = [](int depth, json::parse_event_t, json&) { return depth <= kDepthMax; };
  const auto document = json::parse(stream, shallow, false);
  const json schema = document.is_object() ? document.value("schema", json()) : json();
  if (schema != report::kResultSchema || !document.contains("cells") ||
      !document["cells"].is_array()) {
    return failed("read", path + " (no JSON document of this codecbench: make one with --json)", 0);
  }
  Baseline cells;
  std::size_t repeats_most = 0;
  for (const auto& cell : document["cells"]) {
    if (!cell.is_object() || !cell.contains("key") || !cell["key"].is_string()) {
      return failed("read", path + " (a cell without a key)", 0);
    }
    auto repeats = repeats_of(cell);
    repeats_most = std::max(repeats_most, repeats.size());
    cells[cell["key"].get<std::string>()] = std::move(repeats);
  }
  if (cells.empty()) return failed("read", path + " (it has no cell)", 0);
  if (repeats_most < measure::kUnpairedRoundsMin) {
    return failed("read",
                  fmt::format("{} (it has {} repeats of a row: make it again, with {} or more)",
                              path, repeats_most, measure::kUnpairedRoundsMin),
                  0);
  }
  return cells;
}

std::size_t Comparison::count(Answer answer) const {
  return static_cast<std::size_t>(std::ranges::count(changes, answer, &Change::answer));
}

Comparison compare_with(const Baseline& baseline, const std::vector<Cell>& cells,
                        double tolerance_pct) {
  Comparison comparison;
  for (const Cell& cell : cells) {
    if (cell.figures.batches == 0) continue;
    const std::string key = cell.name.key();
    const auto found = baseline.find(key);
    const auto ratio = found == baseline.end()
                           ? std::nullopt
                           : measure::unpaired_ratio(cell.figures.repeats_ns, found->second);
    if (!ratio) {
      comparison.missing.push_back(key);
      continue;
    }
    comparison.changes.push_back({key, *ratio, judge(*ratio, tolerance_pct)});
  }
  return comparison;
}

std::string format_interval(const measure::MedianInterval& ratio) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f}, {:.1f} % sure)", ratio.median, ratio.lower,
                     ratio.upper, 100 * ratio.confidence);
}

std::string format_comparison(const Comparison& comparison, const std::string& file,
                              double tolerance_pct, bool all) {
  std::string text =
      fmt::format("\nbaseline  {}, tolerance {}%; time now / then\n", file, tolerance_pct);
  for (const Change& change : comparison.changes) {
    const bool told = change.answer == Answer::slower || change.answer == Answer::faster;
    if (!told && !all) continue;
    text += fmt::format("  {:<9}  {:<46} {}\n", to_string(change.answer), change.key,
                        format_interval(change.ratio));
  }
  for (const std::string& key : comparison.missing) text += fmt::format("  new        {}\n", key);
  if (comparison.changes.empty()) return text + "  FAILED     it has no row of this run\n";
  const std::size_t undecided = comparison.count(Answer::undecided);
  text += fmt::format("  of {} rows {} slower, {} faster, {} level, {} undecided{}\n",
                      comparison.changes.size(), comparison.count(Answer::slower),
                      comparison.count(Answer::faster), comparison.count(Answer::level), undecided,
                      undecided > 0 ? " (more --repeat, or a quieter machine, may tell)" : "");
  return text;
}

}  // namespace wiremark::tools
