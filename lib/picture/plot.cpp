// The base of a picture: two axes with grid and titles, and colours and hatching for all charts.
#include "picture/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace wiremark::picture {

namespace {

constexpr double kBetweenLines = kTextSize * 1.35;
constexpr double kBetweenWords = 12;

struct Placed {
  Tick tick;
  double place = 0;
  double length = 0;  // The length of its label along the axis.
};

bool crowded(const std::vector<Placed>& ticks, double gap) {
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const auto& [before, after] = std::pair(ticks[i - 1], ticks[i]);
    if (std::fabs(after.place - before.place) < (before.length + after.length) / 2 + gap)
      return true;
  }
  return false;
}

bool is_power_of_ten(double value) {
  const double power = std::log10(value);
  return std::fabs(power - std::round(power)) < 1e-9;
}

// As many of `ticks` as there is room for: if not all, the powers of ten, and if those are too many
// every second, third and so on.
std::vector<Placed> with_room(std::vector<Placed> ticks, const Axis& axis, double gap) {
  if (!crowded(ticks, gap)) return ticks;
  if (axis.spacing == Spacing::logarithmic) {
    std::vector<Placed> powers;
    std::ranges::copy_if(ticks, std::back_inserter(powers),
                         [](const Placed& each) { return is_power_of_ten(each.tick.value); });
    if (powers.size() >= 2) ticks = std::move(powers);
  }
  for (std::size_t every = 1; every <= ticks.size(); ++every) {
    std::vector<Placed> some;
    for (std::size_t i = 0; i < ticks.size(); i += every) some.push_back(ticks[i]);
    if (!crowded(some, gap)) return some;
  }
  return {};
}

void draw_y_axis(Svg& svg, const Box& area, const Axis& axis) {
  const Scale scale(axis, area.bottom(), area.top);
  std::vector<Placed> ticks;
  for (Tick& tick : ticks_of(axis, static_cast<std::size_t>(area.height / 36)))
    ticks.push_back({tick, scale.at(tick.value), 0});
  for (const auto& [tick, place, length] : with_room(std::move(ticks), axis, kBetweenLines)) {
    svg.line(area.left, place, area.right(), place, "g");
    svg.text(area.left - 8, place, fitting(tick.label, area.left - 10), Anchor::end);
  }
  svg.text(area.left - Plot::kLeft, area.top - kTextSize * 1.35, axis.title, Anchor::start, "q");
}

}  // namespace

std::string colour_class(std::size_t index) { return fmt::format("c{}", index % kColours); }

std::string hatching(const Box& box, double gap) {
  PathData data;
  for (double along = gap; along < box.width + box.height; along += gap) {
    // From the left or lower edge to the upper or right one, at 45 degrees.
    const double over = std::max(0.0, along - box.height);
    const double beyond = std::max(0.0, along - box.width);
    data.move_to(box.left + over, box.top + std::min(along, box.height));
    data.line_to(box.left + std::min(along, box.width), box.top + beyond);
  }
  return data.str();
}

void draw_x_axis(Svg& svg, const Box& area, const Axis& axis) {
  const Scale scale(axis, area.left, area.right());
  std::vector<Placed> ticks;
  for (Tick& tick : ticks_of(axis, static_cast<std::size_t>(area.width / 80))) {
    const double length = width_of(tick.label);
    ticks.push_back({std::move(tick), scale.at(tick.value), length});
  }
  for (const auto& [tick, place, length] : with_room(std::move(ticks), axis, kBetweenWords)) {
    svg.line(place, area.top, place, area.bottom(), "g");
    svg.text(place, area.bottom() + kTextSize * 1.4, tick.label, Anchor::middle);
  }
  svg.text(area.left + area.width / 2, area.bottom() + kTextSize * 2.9, axis.title, Anchor::middle,
           "q");
}

Plot::Plot(Svg& svg, const Box& area, const Axis& x, const Axis& y)
    : area_(area), x_(x, area.left, area.right()), y_(y, area.bottom(), area.top) {
  draw_x_axis(svg, area, x);
  draw_y_axis(svg, area, y);
}

}  // namespace wiremark::picture
