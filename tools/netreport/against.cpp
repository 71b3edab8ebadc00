// netreport --against: saved results beside earlier ones.
#include "netreport/against.h"

#include <optional>

#include "codecbench/baseline.h"
#include "report/against.h"

namespace wiremark::tools {
namespace {

// All of them as runs of one kind; none where one is something else.
std::optional<report::Rounds> rounds_of(const std::vector<report::Document>& documents) {
  report::Rounds rounds;
  for (const report::Document& document : documents) {
    const auto* run = std::get_if<report::RunResult>(&document);
    if (run == nullptr) return std::nullopt;
    rounds.push_back(*run);
  }
  return rounds;
}

Result<AgainstText> text_of(const Result<report::Against>& study) {
  if (!study) return std::unexpected(study.error());
  return AgainstText{report::text_report(*study), study->worse()};
}

Result<AgainstText> tables(const report::CodecTable& before, const report::CodecTable& after,
                           double tolerance_pct) {
  if (std::string why = report::difference(before.run, after.run); !why.empty())
    return failed(why, {}, 0);
  if (before.in_use != after.in_use)
    return failed("in use was '" + before.in_use + "' and is '" + after.in_use + "'", {}, 0);
  const Baseline baseline = compare_with(before.cells, after.cells, tolerance_pct);
  if (baseline.changes.empty()) return failed("the two tables have no row in common", {}, 0);
  return AgainstText{format_baseline(baseline, true), baseline.count(report::Answer::slower) > 0};
}

}  // namespace

Result<AgainstText> compare_sides(const std::vector<report::Document>& before,
                                  const std::vector<report::Document>& after,
                                  double tolerance_pct) {
  const auto then = rounds_of(before);
  const auto now = rounds_of(after);
  if (then && now) return text_of(report::against(*then, *now, tolerance_pct));
  if (before.size() == 1 && after.size() == 1) {
    const auto* studied = std::get_if<report::Comparison>(&before.front());
    const auto* study = std::get_if<report::Comparison>(&after.front());
    if (studied != nullptr && study != nullptr)
      return text_of(report::against(*studied, *study, tolerance_pct));
    const auto* tabled = std::get_if<report::CodecTable>(&before.front());
    const auto* table = std::get_if<report::CodecTable>(&after.front());
    if (tabled != nullptr && table != nullptr) return tables(*tabled, *table, tolerance_pct);
  }
  return failed(
      "--against takes results on both sides, or one comparison or one table of codecbench on each",
      {}, 0);
}

}  // namespace wiremark::tools
