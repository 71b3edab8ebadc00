// Figures of several rounds as text, for the tables of studies.
#include "report/round_figures.h"

#include <fmt/format.h>

#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

std::string about_text(const Setting& setting) {
  return setting.about ? *setting.about + "\n\n" : std::string();
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

double median_of(const std::optional<Spread>& spread) { return spread ? spread->median : 0; }

std::string marked(std::string text, const Rounds& rounds, std::string_view figure) {
  return stands(rounds, figure) ? text : text + "?";
}

std::string mark_text(std::string_view text) {
  if (text.find('?') == std::string_view::npos) return {};
  return "\n  ?          behind a figure: not to be trusted, for the reasons below\n";
}

}  // namespace wiremark::report
