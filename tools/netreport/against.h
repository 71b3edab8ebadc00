// netreport --against: saved results beside earlier ones.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace wiremark::tools {

/// What is said about them, and whether anything is surely worse.
struct AgainstText {
  std::string text;
  bool worse = false;
};

/// Documents of one kind on both sides: results, one for each round, or one comparison or table of
/// codecs. Errors: another kind, or what keeps the two from being compared.
Result<AgainstText> compare_sides(const std::vector<report::Document>& before,
                                  const std::vector<report::Document>& after, double tolerance_pct);

}  // namespace wiremark::tools
