// Figures of several rounds as text, for the tables of studies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/study.h"

namespace wiremark::report {

/// What the study was about, above its table.
std::string about_text(const Setting& setting);

/// A label and a sentence, folded below itself.
std::string line_text(std::string_view label, std::string_view sentence);

/// A percentile of all messages: "never" where it is one without an answer, "-" without messages.
std::string percentile_text(const PooledLatency& latency, double percent);

/// "20.79 (20.09 to 21.49)": the median, the lowest and the highest.
std::string spread_text(const std::optional<measure::Spread>& spread, int digits);
std::string time_text(const std::optional<measure::Spread>& ns);

/// The median alone.
std::string median_text(const std::optional<measure::Spread>& spread, int digits);

/// `text`, with a mark where `figure` of these rounds is not to be trusted.
std::string marked(std::string text, const Rounds& rounds, std::string_view figure);

/// The backend that was in use, and the first of its evidence.
std::string path_text(const Path& path);

/// What the mark means; empty where `text` has none.
std::string mark_text(std::string_view text);

}  // namespace wiremark::report
