// The charts: each is plain data, which draw() makes a picture of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture/plot.h"

namespace wiremark::picture {

struct Point {
  double x = 0;
  double y = 0;  ///< NaN: nothing is known there, and the curve has a gap.
};

struct Curve {
  std::string name;
  std::size_t colour = 0;
  std::vector<Point> points;
  /// From this x on the curve is based on few values, and is dotted.
  std::optional<double> weak_from = std::nullopt;
  /// From this x on it is doubtful, and drawn hollow.
  std::optional<double> doubtful_from = std::nullopt;
};

/// Curves on the same axes, each with its name at its end.
struct Curves {
  Caption caption;
  Axis x;
  Axis y;
  std::vector<Curve> curves;
  double plot_height = 280;
};

/// A cell of a column of a heat map: the share of the column, 0 to 1, that is between two values.
struct HeatCell {
  double low = 0;
  double high = 0;
  double share = 0;
};

struct HeatColumn {
  double from = 0;
  double to = 0;
  std::vector<HeatCell> cells;  ///< Rising.
};

/// How values are distributed, over time. The darker, the larger the share of a column.
struct HeatMap {
  Caption caption;
  Axis x;
  Axis y;
  std::size_t colour = 0;
  std::vector<HeatColumn> columns{};
  bool doubtful = false;  ///< It is hatched.
  double width = kWide;
};

struct Dot {
  double value = 0;
  bool doubtful = false;  ///< It is a ring.
  std::string hint;
};

/// A figure as a bar, with the rounds that it is made of as dots and a line from the lowest to the
/// highest of them, or over its interval.
struct Bar {
  std::string name;
  std::size_t colour = 0;
  double value = 0;
  std::string label;  ///< Beside it.
  std::vector<Dot> dots{};
  std::optional<double> low{};
  std::optional<double> high{};
  bool doubtful = false;  ///< It is hatched, as a mark hollow.
  std::string hint{};
};

/// Figures as bars, one below the other.
struct Bars {
  Caption caption;
  Axis axis;
  std::vector<Bar> bars;
  std::optional<double>
      line{};  ///< Where there is no difference; figures are then marks, not bars.
};

/// A trial: a circle where it passed, a square where it failed.
struct Mark {
  double x = 0;
  double y = 0;
  bool passed = false;
  bool doubtful = false;  ///< It is hollow.
  std::string hint;
};

/// Trials, each placed by its two figures.
struct Scatter {
  Caption caption;
  Axis x;
  Axis y;
  std::vector<Mark> marks;
  std::optional<double> line{};  ///< The x that was found.
};

Svg draw(const Curves& chart);
Svg draw(const Scatter& chart);
Svg draw(const HeatMap& chart);
Svg draw(const Bars& chart);

/// The style sheet that the pictures of a page need, in light, in the dark and on paper. It sets
/// the colours of text and paper too: --ink, --quiet, --grid, --paper, --bad, and --s0 to --s7.
extern const char* const kStyle;

}  // namespace wiremark::picture
