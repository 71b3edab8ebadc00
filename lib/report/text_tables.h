// The tables of a report as text: latencies and processor time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "measure/quantity.h"
#include "report/result.h"

namespace wiremark::report {

// Labels fill the first 14 columns, so that all values begin, and all tables are, in one line.
void put_line(std::string& text, std::string_view label, std::string_view value);

std::string span_of(double seconds);

// Nothing was answered: then there is no time.
template <class Time>
std::string time_or_dash(const std::optional<Time>& ns) {
  return ns ? measure::format_time(*ns) : "-";
}

// A column for each kind of time, a row for each figure, so that any list of percentiles fits.
void put_latencies(std::string& text, const RunResult& result);

// A row for each end of the wire.
void put_costs(std::string& text, const RunResult& result);

// A row for each generator of a sum.
void put_generators(std::string& text, const RunResult& result);

}  // namespace wiremark::report
