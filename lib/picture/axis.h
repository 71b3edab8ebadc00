// An axis: the positions of values on it, and which of them are labelled.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace wiremark::picture {

enum class Spacing {
  linear,
  logarithmic,
  nines,  ///< Percent: 90, 99 and 99.9 are equally far apart, and 100 is never reached.
};

struct Axis {
  std::string title;  ///< With the unit.
  Spacing spacing = Spacing::linear;
  double low = 0;
  double high = 1;
  std::function<std::string(double)> label;  ///< The text of a value beside the axis.
};

struct Tick {
  double value = 0;
  std::string label;
};

/// Round values within the axis: about `most` evenly spaced ones; on a long logarithmic axis 1, 2
/// and 5 times each power of ten; on an axis of nines 90, 99 and so on.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t most);

/// `axis` from 0 to a round value not below `highest`.
Axis from_zero(Axis axis, double highest);

/// `axis`, logarithmic, around the positive ones of `values`, with some room at both ends.
Axis around(Axis axis, const std::vector<double>& values);

/// An axis between two positions in a picture.
class Scale {
 public:
  Scale(const Axis& axis, double from, double to);

  /// The position of `value`; values outside the axis are at its end.
  double at(double value) const;

 private:
  double laid(double value) const;

  Spacing spacing_;
  double low_;
  double high_;
  double from_;
  double to_;
};

/// Moves `places` apart until neighbours are at least `gap` from each other, all between `low` and
/// `high` and each as near to where it was as that allows. Their order stays. If there is not
/// enough room, they are spaced evenly.
std::vector<double> moved_apart(const std::vector<double>& places, double gap, double low,
                                double high);

}  // namespace wiremark::picture
