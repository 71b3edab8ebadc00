// Figures as bars, one below the other.
#include <algorithm>
#include <cmath>

#include "picture/charts.h"

namespace wiremark::picture {

namespace {

constexpr double kRow = 30;
constexpr double kTallRow = 38;
constexpr double kThick = 16;
constexpr double kBarNameMax = 240;
constexpr double kLabelMax = 240;
constexpr double kGap = 12;

constexpr double kLine = 16;  // Of a name of two.

double widest(const std::vector<Bar>& bars, auto&& lines_of) {
  double width = 0;
  for (const Bar& bar : bars) {
    for (const std::string& line : lines_of(bar)) width = std::max(width, width_of(line));
  }
  return width;
}

std::vector<std::string> lines_of_name(const Bar& bar) {
  return in_two_lines(bar.name, kBarNameMax);
}

std::vector<std::string> lines_of_label(const Bar& bar) { return {fitting(bar.label, kLabelMax)}; }

void draw_name(Svg& svg, const Bar& bar, double right, double middle) {
  const std::vector<std::string> lines = lines_of_name(bar);
  const bool cut = !bar.name.ends_with(lines.back());
  double at = middle - kLine / 2 * static_cast<double>(lines.size() - 1);
  for (const std::string& line : lines) {
    svg.text(right, at, line, Anchor::end, "", cut ? bar.name : std::string_view());
    at += kLine;
  }
}

void draw_body(Svg& svg, const Bar& bar, const Box& box) {
  const std::string colour = colour_class(bar.colour);
  if (!bar.doubtful) return svg.rect(box, colour + " b", bar.hint);
  svg.rect(box, colour + " bh", bar.hint);
  // One striped line: a page may have hundreds of them.
  svg.line(box.left, box.top + box.height / 2, box.right(), box.top + box.height / 2,
           colour + " v");
}

// Draws the line from the lowest to the highest figure and the dots on it; returns where it ends.
double draw_spread(Svg& svg, const Bar& bar, const Scale& scale, double middle) {
  const std::string colour = colour_class(bar.colour);
  double end = scale.at(bar.value);
  if (bar.low && bar.high) {
    svg.line(scale.at(*bar.low), middle, scale.at(*bar.high), middle, colour + " i");
    end = std::max(end, scale.at(*bar.high));
  }
  for (const Dot& dot : bar.dots) {
    svg.circle(scale.at(dot.value), middle, 4, colour + (dot.doubtful ? " dh" : " d"), dot.hint);
    end = std::max(end, scale.at(dot.value) + 4);
  }
  return end;
}

void draw_mark(Svg& svg, const Bar& bar, const Scale& scale, double middle) {
  const Box mark{scale.at(bar.value) - 2.5, middle - kThick / 2, 5, kThick};
  svg.rect(mark, colour_class(bar.colour) + (bar.doubtful ? " dh" : " d"), bar.hint);
}

}  // namespace

Svg draw(const Bars& chart) {
  const double left = widest(chart.bars, lines_of_name) + kGap;
  const double right = widest(chart.bars, lines_of_label) + kGap + 4;
  const bool tall =
      std::ranges::any_of(chart.bars, [](const Bar& bar) { return lines_of_name(bar).size() > 1; });
  const double row = tall ? kTallRow : kRow;
  const double height = row * static_cast<double>(chart.bars.size());
  Svg svg(kWide, 8 + height + Plot::kBelow, chart.caption);
  const Box area{left, 8, kWide - left - right, height};
  draw_x_axis(svg, area, chart.axis);
  const Scale scale(chart.axis, area.left, area.right());
  if (chart.line)
    svg.line(scale.at(*chart.line), area.top, scale.at(*chart.line), area.bottom(), "a");
  double middle = area.top + row / 2;
  for (const Bar& bar : chart.bars) {
    draw_name(svg, bar, left - kGap, middle);
    if (!chart.line) {
      const double width = scale.at(bar.value) - area.left;
      draw_body(svg, bar, {area.left, middle - kThick / 2, std::max(width, 0.5), kThick});
    }
    const double end = draw_spread(svg, bar, scale, middle);
    if (chart.line) draw_mark(svg, bar, scale, middle);
    svg.text(end + kGap - 4, middle, lines_of_label(bar).front());
    middle += row;
  }
  return svg;
}

}  // namespace wiremark::picture
