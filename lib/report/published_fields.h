// The table of published figures: each one's name, unit and meaning, once.
#pragma once

#include "report/fields.h"
#include "report/published.h"

namespace wiremark::report {

constexpr auto fields(Of<Published>) {
  using P = Published;
  return table("published", "What was published, and what stands for it here.",
               field("picture", &P::picture, "What is drawn together, with its unit."),
               field("row", &P::row), field("low", &P::low, Unit::ratio),
               field("high", &P::high, Unit::ratio, "One figure is both."),
               field("ours", &P::ours, Unit::ratio, "Absent where it was not measured."),
               field("ours_low", &P::ours_low, Unit::ratio, "Of an interval, if there is one."),
               field("ours_high", &P::ours_high, Unit::ratio));
}

}  // namespace wiremark::report
