// Curves on the same axes, each with its name at its end.
#include <algorithm>
#include <cmath>

#include "picture/charts.h"

namespace wiremark::picture {

namespace {

constexpr double kCurveNameMax = 170;
constexpr double kLeader = 18;

// The part of a curve with x from `from` to `to`, joined to the parts before and after.
PathData part_of(const Curve& curve, const Plot& plot, double from, double to) {
  PathData data;
  const Point* before = nullptr;
  bool begun = false;
  for (const Point& point : curve.points) {
    if (std::isnan(point.y)) {
      before = nullptr;
      begun = false;
      continue;
    }
    if (point.x >= from && (point.x <= to || (begun && before && before->x < to))) {
      if (!begun && before) data.move_to(plot.x(before->x), plot.y(before->y));
      begun || before ? data.line_to(plot.x(point.x), plot.y(point.y))
                      : data.move_to(plot.x(point.x), plot.y(point.y));
      begun = true;
    }
    before = &point;
  }
  return data;
}

void draw_curve(Svg& svg, const Plot& plot, const Curve& curve) {
  const std::string colour = colour_class(curve.colour);
  const double weak = curve.weak_from.value_or(HUGE_VAL);
  const double doubtful = std::min(weak, curve.doubtful_from.value_or(HUGE_VAL));
  if (doubtful > -HUGE_VAL)
    svg.path(part_of(curve, plot, -HUGE_VAL, doubtful).str(), colour + " l", curve.name);
  if (doubtful < weak) {
    const PathData hollow = part_of(curve, plot, doubtful, weak);
    svg.path(hollow.str(), colour + " lh", curve.name);
    svg.path(hollow.str(), "lp", curve.name);
  }
  if (curve.weak_from) svg.path(part_of(curve, plot, weak, HUGE_VAL).str(), colour + " lt");
}

const Point* last_of(const Curve& curve) {
  const auto last = std::find_if(curve.points.rbegin(), curve.points.rend(),
                                 [](const Point& point) { return !std::isnan(point.y); });
  return last == curve.points.rend() ? nullptr : &*last;
}

void draw_names(Svg& svg, const Plot& plot, const std::vector<Curve>& curves) {
  std::vector<const Curve*> named;
  std::vector<double> places;
  for (const Curve& curve : curves) {
    const Point* last = last_of(curve);
    if (!last) continue;
    named.push_back(&curve);
    places.push_back(plot.y(last->y));
  }
  const Box& area = plot.area();
  const auto moved = moved_apart(places, kTextSize * 1.35, area.top, area.bottom());
  for (std::size_t i = 0; i < named.size(); ++i) {
    // Never from within the plot, where a line to the name of a curve that ends early is no data.
    const double to = area.right() + kLeader;
    svg.line(area.right(), places[i], to - 4, moved[i], colour_class(named[i]->colour) + " k");
    const std::string shown = fitting(named[i]->name, kCurveNameMax);
    svg.text(to, moved[i], shown, Anchor::start, "",
             shown == named[i]->name ? std::string_view() : named[i]->name);
  }
}

}  // namespace

Svg draw(const Curves& chart) {
  double names = 0;
  for (const Curve& curve : chart.curves) names = std::max(names, width_of(curve.name));
  const double right = std::max(Plot::kRight, std::min(names, kCurveNameMax) + kLeader + 4);
  Svg svg(kWide, Plot::kAbove + chart.plot_height + Plot::kBelow, chart.caption);
  const Plot plot(svg, {Plot::kLeft, Plot::kAbove, kWide - Plot::kLeft - right, chart.plot_height},
                  chart.x, chart.y);
  for (const Curve& curve : chart.curves) draw_curve(svg, plot, curve);
  draw_names(svg, plot, chart.curves);
  return svg;
}

}  // namespace wiremark::picture
