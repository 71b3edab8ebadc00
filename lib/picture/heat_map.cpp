// How values are distributed, over time.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "picture/charts.h"

namespace wiremark::picture {

namespace {

// Each shade stands for 2.2 times the share of the one before, so that eight of them reach from a
// thousandth to a third of a column.
constexpr int kShades = 8;
constexpr double kDarkest = 0.3;
constexpr double kShadeStep = 2.2;
constexpr double kMapHeight = 200;
constexpr double kRightOfHalf = 16;
constexpr double kHatch = 24;  // So that what lies below is seen.

int shade_of(double share) {
  if (!(share > 0)) return 0;
  const double shade = kShades + std::log(share / kDarkest) / std::log(kShadeStep);
  return std::clamp(static_cast<int>(std::floor(shade)), 1, kShades);
}

std::string shade_class(int shade) { return "h" + std::to_string(shade); }

void draw_key(Svg& svg, double right, double middle) {
  const std::string most = "30 %";
  const std::string least = "0.1 %";
  double x = right - width_of(most);
  svg.text(x, middle, most, Anchor::start, "q");
  for (int shade = kShades; shade >= 1; --shade) {
    x -= 12;
    svg.rect({x - 6, middle - 6, 12, 12}, shade_class(shade));
  }
  svg.text(x - 12, middle, least, Anchor::end, "q");
  const double left = x - 12 - width_of(least) - 10;
  svg.text(left, middle, "of a column", Anchor::end, "q");
}

}  // namespace

Svg draw(const HeatMap& chart) {
  const double right = chart.width < kWide ? kRightOfHalf : Plot::kRight;
  Svg svg(chart.width, Plot::kAbove + kMapHeight + Plot::kBelow, chart.caption);
  const Plot plot(svg, {Plot::kLeft, Plot::kAbove, chart.width - Plot::kLeft - right, kMapHeight},
                  chart.x, chart.y);
  // One path for each shade: a page with thousands of rectangles would be three times as long.
  std::array<PathData, kShades + 1> shades;
  for (const HeatColumn& column : chart.columns) {
    const double left = plot.x(column.from);
    const double width = plot.x(column.to) - left;
    for (auto cell = column.cells.begin(); cell != column.cells.end();) {
      const int shade = shade_of(cell->share);
      auto end = std::next(cell);
      while (end != column.cells.end() && shade_of(end->share) == shade &&
             end->low <= std::prev(end)->high)
        ++end;
      const double top = plot.y(std::prev(end)->high);
      const double height = std::max(plot.y(cell->low) - top, 0.5);
      if (shade > 0) shades[static_cast<std::size_t>(shade)].rect({left, top, width, height});
      cell = end;
    }
  }
  const std::string colour = colour_class(chart.colour) + " ";
  for (int shade = 1; shade <= kShades; ++shade)
    svg.path(shades[static_cast<std::size_t>(shade)].str(), colour + shade_class(shade));
  if (chart.doubtful) svg.path(hatching(plot.area(), kHatch), "x");
  draw_key(svg, plot.area().right(), Plot::kAbove - kTextSize * 1.35);
  return svg;
}

}  // namespace wiremark::picture
