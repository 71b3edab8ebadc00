// A ratio and its interval as a bar in one line, for a terminal.
#include "report/ratio_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace wiremark::report {

namespace {

// What stands on the line before it, with the ratio in figures, leaves this many of 80.
constexpr std::size_t kWidth = 25;
constexpr double kReachMin = 1.05;

struct Marks {
  std::string_view one, interval, median;
};
constexpr Marks kBlockMarks{"\u2502", "\u2500", "\u25cf"};
constexpr Marks kAsciiMarks{"|", "-", "o"};

}  // namespace

double axis_reach(const measure::MedianInterval& ratio) {
  return std::max({kReachMin, ratio.upper, 1 / ratio.lower});
}

std::string ratio_bar(const measure::MedianInterval& ratio, double reach, Letters letters) {
  if (letters == Letters::none) return {};
  const auto column = [reach](double value) {
    const double part = (std::log(value) / std::log(reach) + 1) / 2;
    return static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * (kWidth - 1)));
  };
  const Marks& marks = letters == Letters::blocks ? kBlockMarks : kAsciiMarks;
  std::array<std::string_view, kWidth> line;
  line.fill(" ");
  for (std::size_t i = column(ratio.lower); i <= column(ratio.upper); ++i) line[i] = marks.interval;
  line[kWidth / 2] = marks.one;
  line[column(ratio.median)] = marks.median;
  std::string text;
  for (const std::string_view letter : line) text += letter;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace wiremark::report
