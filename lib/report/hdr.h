// Histograms as HdrHistogram's own tools read them: the percentile distribution and the log.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "measure/histogram.h"

namespace wiremark::report {

/// The text of HdrHistogram's outputPercentileDistribution() with 5 ticks per half distance, in
/// microseconds with 3 digits, so that no nanosecond is lost. Plotters call such files .hgrm.
std::string hgrm_document(const measure::Histogram& histogram);

/// The first lines of an interval log, format version 1.3, whose intervals count from `base`.
std::string hdr_log_head(std::string_view tool, std::chrono::system_clock::time_point base);

/// One interval of a log: the histogram of `tag` from `start_s` after the base on, for `seconds`.
/// `tag` holds no comma, space or line end. The maximum beside it is in ms, as the format has it.
std::string hdr_log_line(std::string_view tag, double start_s, double seconds,
                         const measure::Histogram& histogram);

/// HdrHistogram's V2 encoding, deflated as its compressed form has it: values are ns.
std::string hdr_encode(const measure::Histogram& histogram);

}  // namespace wiremark::report
