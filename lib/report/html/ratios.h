// Ratios of paired rounds as marks, each on the line of its interval.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html/page.h"

namespace wiremark::report {

/// A figure of one round, of what is compared and of the base; 0 where it is not known.
struct RoundPair {
  double one = 0;
  double base = 0;
  bool doubtful = false;  ///< One of the two is not to be trusted.
};

struct RatioRow {
  std::string name;
  std::size_t colour = 0;
  std::vector<RoundPair> rounds;
};

/// Adds a picture of the rows whose rounds have a ratio to `base`; nothing if there are none.
/// Without `dots` only the intervals are drawn.
void add_ratios(Page& page, std::string title, const std::string& base,
                const std::vector<RatioRow>& rows, bool dots = true);

}  // namespace wiremark::report
