// Trials, each placed by its two figures.
#include "picture/charts.h"

namespace wiremark::picture {

namespace {

constexpr double kScatterHeight = 280;
constexpr double kRight = 40;
constexpr double kRadius = 5;

}  // namespace

Svg draw(const Scatter& chart) {
  Svg svg(kWide, Plot::kAbove + kScatterHeight + Plot::kBelow, chart.caption);
  const Plot plot(svg, {Plot::kLeft, Plot::kAbove, kWide - Plot::kLeft - kRight, kScatterHeight},
                  chart.x, chart.y);
  if (chart.line)
    svg.line(plot.x(*chart.line), plot.area().top, plot.x(*chart.line), plot.area().bottom(), "a");
  for (const Mark& mark : chart.marks) {
    const std::string classes = colour_class(mark.passed ? 0 : 1) + (mark.doubtful ? " dh" : " d");
    const double x = plot.x(mark.x);
    const double y = plot.y(mark.y);
    if (mark.passed)
      svg.circle(x, y, kRadius, classes, mark.hint);
    else
      svg.rect({x - kRadius, y - kRadius, 2 * kRadius, 2 * kRadius}, classes, mark.hint);
  }
  return svg;
}

}  // namespace wiremark::picture
