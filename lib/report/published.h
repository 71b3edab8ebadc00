// What was published of an experiment, beside what stands for it here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/fields.h"

namespace wiremark::report {

struct Published {
  std::string picture;
  std::string row;  ///< "io_uring".
  double low = 0;   ///< Of what was published; one figure is both.
  double high = 0;
  std::optional<double> ours = std::nullopt;
  std::optional<double> ours_low = std::nullopt;
  std::optional<double> ours_high = std::nullopt;

  void fields(auto& f) {
    f.table("published", "What was published, and what stands for it here.");
    f("picture", picture, "What is drawn together, with its unit.");
    f("row", row);
    f("low", low, Unit::ratio);
    f("high", high, Unit::ratio, "One figure is both.");
    f("ours", ours, Unit::ratio, "Absent where it was not measured.");
    f("ours_low", ours_low, Unit::ratio, "Of an interval, if there is one.");
    f("ours_high", ours_high, Unit::ratio);
  }
};

}  // namespace wiremark::report
