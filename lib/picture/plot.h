// The base of a picture: two axes with grid and titles, and colours and hatching for all charts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "picture/axis.h"
#include "picture/svg.h"

namespace wiremark::picture {

/// The number of colours; the next thing has the first one again.
inline constexpr std::size_t kColours = 8;

/// The width of a picture on its own, and of one of two beside each other.
inline constexpr double kWide = 860;
inline constexpr double kHalf = 560;

/// The CSS class of colour `index`.
std::string colour_class(std::size_t index);

/// Lines that fill `box`, for something doubtful.
std::string hatching(const Box& box, double gap = 6);

/// An area between two axes. Draws the grid, as many values beside it as there is room for, and
/// both titles: that of y above its values, that of x below.
class Plot {
 public:
  /// Room around the area for the texts of the axes.
  static constexpr double kLeft = 68;
  static constexpr double kAbove = 28;
  static constexpr double kBelow = 46;
  static constexpr double kRight =
      90;  ///< At least this, so that pictures below each other are aligned.

  Plot(Svg& svg, const Box& area, const Axis& x, const Axis& y);

  const Box& area() const noexcept { return area_; }
  double x(double value) const { return x_.at(value); }
  double y(double value) const { return y_.at(value); }

 private:
  Box area_;
  Scale x_;
  Scale y_;
};

/// Draws the vertical grid lines of `area` for the x axis, with the texts below.
void draw_x_axis(Svg& svg, const Box& area, const Axis& axis);

}  // namespace wiremark::picture
