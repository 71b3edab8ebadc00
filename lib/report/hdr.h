// Histograms for HdrHistogram's own tools: the percentile distribution and the interval log.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "measure/histogram.h"
#include "report/latency_summary.h"

namespace wiremark::report {

/// The text of HdrHistogram's outputPercentileDistribution() with 5 ticks per half distance, in
/// microseconds with 3 digits, so that no nanosecond is lost. Plotters call such files .hgrm.
/// `unanswered` messages are later than any: percentiles that fall on them have no row, and the
/// lines at the end say so. A figure that does not exist is "-" there.
std::string hgrm_document(const measure::Histogram& histogram, std::uint64_t unanswered = 0);

/// The first lines of an interval log, format version 1.3, whose intervals count from `base`.
std::string hdr_log_head(std::string_view tool, std::chrono::system_clock::time_point base);

/// A comment in a log, which has no place for a message without an answer: how many of `tag` its
/// histograms leave out. Empty where all were answered.
std::string hdr_log_note(std::string_view tag, const LatencySummary& latency);

/// One interval of a log: the histogram of `tag` that starts `start_s` after the base and lasts
/// `seconds`. `tag` must have no comma, space or line end. The maximum beside it is in ms, by the
/// format. Empty where nothing was recorded: readers would take the maximum, 0, for a time.
std::string hdr_log_line(std::string_view tag, double start_s, double seconds,
                         const measure::Histogram& histogram);

/// HdrHistogram's V2 encoding in its compressed form; values are ns.
std::string hdr_encode(const measure::Histogram& histogram);

}  // namespace wiremark::report
