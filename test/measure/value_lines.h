// Histograms of "value count" lines on standard input, as hdr_oracle.py writes them.
#pragma once

#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "measure/histogram.h"

namespace wiremark::measure {

/// A blank line begins another histogram; all are merged at the end. None for a line that is no
/// such pair.
inline std::optional<Histogram> read_value_lines() {
  Histogram whole;
  Histogram part;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) {
      whole.merge(part);
      part.clear();
      continue;
    }
    std::uint64_t value = 0;
    std::uint64_t count = 0;
    if (!(std::istringstream(line) >> value >> count)) return std::nullopt;
    part.record_many(value, count);
  }
  whole.merge(part);
  return whole;
}

}  // namespace wiremark::measure
