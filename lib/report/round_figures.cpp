// Figures of several rounds as text, for the tables of studies.
#include "report/round_figures.h"

#include <fmt/format.h>

#include "measure/quantity.h"
#include "report/folding.h"

namespace wiremark::report {

using namespace measure;

std::string about_text(const Setting& setting) {
  return setting.about ? folded(*setting.about, 2) + "\n\n" : std::string();
}

std::string line_text(std::string_view label, std::string_view sentence) {
  constexpr std::size_t kValue = 13;
  return folded(fmt::format("  {:<10} {}\n", label, sentence), kValue);
}

std::string percentile_text(const PooledLatency& latency, double percent) {
  const auto ns = percentile_of(latency.histogram, percent, latency.unanswered);
  if (ns) return format_time(*ns);
  return latency.unanswered > 0 ? "never" : "-";
}

std::string spread_text(const std::optional<Spread>& spread, int digits) {
  if (!spread) return "n/a";
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", spread->median, digits, spread->min, digits,
                     spread->max, digits);
}

std::string time_text(const std::optional<Spread>& ns) {
  if (!ns) return "n/a";
  return fmt::format("{} ({} to {})", format_time(ns->median), format_time(ns->min),
                     format_time(ns->max));
}

std::string median_text(const std::optional<Spread>& spread, int digits) {
  return spread ? fmt::format("{:.{}f}", spread->median, digits) : "n/a";
}

std::string marked(std::string text, const Rounds& rounds, std::string_view figure) {
  return stands(rounds, figure) ? text : text + "?";
}

std::string path_text(const Path& path) {
  return fmt::format("{} ({})", path.active, path.evidence.empty() ? "" : path.evidence.front());
}

std::string mark_text(std::string_view text) {
  if (text.find('?') == std::string_view::npos) return {};
  return "\n  ?          behind a figure: not to be trusted, for the reasons below\n";
}

}  // namespace wiremark::report
