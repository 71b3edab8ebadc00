// An axis: the positions of values on it, and which of them are labelled.
#include "picture/axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace wiremark::picture {

namespace {

// The least 1, 2 or 5 times a power of ten that is not below `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (step <= factor * power * 1.000001) return factor * power;
  return 10 * power;
}

double nines_of(double percent) { return -std::log10(1 - std::min(percent, 100 - 1e-10) / 100); }

std::vector<double> nines(const Axis& axis) {
  std::vector<double> values = {0, 50, 90};
  for (int nines = 2; nines <= 9; ++nines) values.push_back(100 - std::pow(10, 2 - nines));
  std::erase_if(values, [&](double value) { return value < axis.low || value > axis.high; });
  return values;
}

std::vector<double> decades(const Axis& axis) {
  std::vector<double> values;
  for (int power = static_cast<int>(std::floor(std::log10(axis.low)));
       std::pow(10, power) <= axis.high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if (value >= axis.low * 0.999999 && value <= axis.high * 1.000001) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> steps(const Axis& axis, std::size_t most) {
  const double step =
      round_step((axis.high - axis.low) / static_cast<double>(std::max<std::size_t>(most, 2)));
  std::vector<double> values;
  for (double count = std::ceil(axis.low / step - 1e-6); count * step <= axis.high + step * 1e-6;
       ++count)
    values.push_back(count == 0 ? 0 : count * step);
  return values;
}

}  // namespace

std::vector<Tick> ticks_of(const Axis& axis, std::size_t most) {
  // In less than three octaves there are few values of 1, 2 or 5 times a power of ten.
  const bool wide = axis.high >= 8 * axis.low;
  const std::vector<double> values = axis.spacing == Spacing::nines ? nines(axis)
                                     : axis.spacing == Spacing::logarithmic && wide
                                         ? decades(axis)
                                         : steps(axis, most);
  std::vector<Tick> ticks;
  for (const double value : values) ticks.push_back({value, axis.label(value)});
  return ticks;
}

Axis from_zero(Axis axis, double highest) {
  axis.spacing = Spacing::linear;
  axis.low = 0;
  const double step = highest > 0 ? round_step(highest / 4) : 1;
  axis.high = std::max(step, step * std::ceil(highest / step - 1e-6));
  return axis;
}

Axis around(Axis axis, const std::vector<double>& values) {
  axis.spacing = Spacing::logarithmic;
  axis.low = HUGE_VAL;
  axis.high = 0;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    axis.low = std::min(axis.low, value);
    axis.high = std::max(axis.high, value);
  }
  if (axis.high == 0) axis.low = axis.high = 1;
  // Room at each end, so that the axis has two octaves or more, and with them two round values.
  const double room = std::max(std::sqrt(4 * axis.low / axis.high), 1.12);
  axis.low /= room;
  axis.high *= room;
  return axis;
}

Scale::Scale(const Axis& axis, double from, double to)
    : spacing_(axis.spacing), low_(0), high_(1), from_(from), to_(to) {
  low_ = laid(axis.low);
  high_ = laid(axis.high);
}

double Scale::laid(double value) const {
  switch (spacing_) {
    case Spacing::logarithmic:
      return std::log10(std::max(value, 1e-300));
    case Spacing::nines:
      return nines_of(value);
    case Spacing::linear:
      break;
  }
  return value;
}

double Scale::at(double value) const {
  if (high_ <= low_) return from_;
  return from_ + (to_ - from_) * std::clamp((laid(value) - low_) / (high_ - low_), 0.0, 1.0);
}

std::vector<double> moved_apart(const std::vector<double>& places, double gap, double low,
                                double high) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(places[i], i); });
  if (places.size() > 1) gap = std::min(gap, (high - low) / static_cast<double>(places.size() - 1));
  // Neighbours that touch become a block, centred on the mean of the positions that they want.
  struct Block {
    double wanted;  // Sum over the members of where each wants the first one to be.
    std::size_t members;
    double first(double gap_between, double lowest, double highest) const {
      const double length = gap_between * static_cast<double>(members - 1);
      return std::clamp(wanted / static_cast<double>(members), lowest,
                        std::max(lowest, highest - length));
    }
  };
  std::vector<Block> blocks;
  for (const std::size_t i : order) {
    blocks.push_back({std::clamp(places[i], low, high), 1});
    while (blocks.size() > 1) {
      const Block& last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      const double length = gap * static_cast<double>(before.members);
      if (before.first(gap, low, high) + length <= last.first(gap, low, high) + 1e-9) break;
      before.wanted += last.wanted - length * static_cast<double>(last.members);
      before.members += last.members;
      blocks.pop_back();
    }
  }
  std::vector<double> moved(places.size());
  auto next = order.begin();
  for (const Block& block : blocks) {
    double place = block.first(gap, low, high);
    for (std::size_t i = 0; i < block.members; ++i, place += gap) moved[*next++] = place;
  }
  return moved;
}

}  // namespace wiremark::picture
