// What of a run is drawn as doubtful.
#include "report/html/doubt.h"

#include <algorithm>

#include "report/verdict.h"

namespace wiremark::report {

bool doubtful(const RunResult& run, std::string_view figure) {
  if (!run.verdict || run.verdict->valid()) return false;
  const auto& figures = run.verdict->figures;
  if (!figures) return true;
  const auto judged = std::ranges::find(*figures, figure, &FigureVerdict::name);
  return judged != figures->end() && !judged->valid();
}

std::optional<double> doubtful_from(std::span<const RunResult> runs) {
  double before = 0;
  for (const double percent : kPercentiles) {
    const std::string name = percentile_name(percent);
    const auto doubted =
        std::ranges::count_if(runs, [&](const RunResult& run) { return doubtful(run, name); });
    if (static_cast<std::size_t>(doubted) * 2 > runs.size()) return before;
    before = percent;
  }
  return std::nullopt;
}

}  // namespace wiremark::report
