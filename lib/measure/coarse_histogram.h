// A histogram of nanoseconds coarse enough to be kept for each second of a run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "measure/histogram.h"

namespace wiremark::measure {

/// Counts values to an eighth of their power of two: those below 16 have a bucket each, above that
/// every power of two is cut into 8. A bucket of Histogram lies in one of these, so nothing is
/// guessed where one is made of the other, and two are added without loss. A run's latencies fill
/// 20 to 100 buckets, where they fill thousands of a Histogram.
class CoarseHistogram {
 public:
  static constexpr unsigned kSubBuckets = 16;

  static constexpr std::size_t index_of(Nanoseconds value) noexcept {
    const auto exponent = static_cast<unsigned>(std::bit_width(value | (kSubBuckets - 1))) - kBits;
    return (std::size_t{exponent} << (kBits - 1)) + (value >> exponent);
  }
  static constexpr Nanoseconds lowest_of(std::size_t index) noexcept {
    const unsigned exponent = exponent_of(index);
    return (index - (std::size_t{exponent} << (kBits - 1))) << exponent;
  }
  static constexpr Nanoseconds highest_of(std::size_t index) noexcept {
    return lowest_of(index) + (Nanoseconds{1} << exponent_of(index)) - 1;
  }

  static constexpr std::size_t kBuckets = std::size_t{42 - 4} * 8 + 16;

  CoarseHistogram() : counts_(kBuckets) {}
  explicit CoarseHistogram(const Histogram& histogram);

  /// False when there is no such bucket.
  bool add(std::size_t index, std::uint64_t count) noexcept;
  std::uint64_t count() const noexcept;
  /// The highest value of the bucket that holds the `percent`-th percentile; 0 when empty.
  Nanoseconds percentile(double percent) const noexcept;

  /// Calls `visit(index, count)` for each bucket that counted anything, in rising order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t index = 0; index < counts_.size(); ++index)
      if (counts_[index] > 0) visit(index, counts_[index]);
  }

 private:
  static constexpr unsigned kBits = std::bit_width(kSubBuckets) - 1;

  static constexpr unsigned exponent_of(std::size_t index) noexcept {
    return index < kSubBuckets ? 0 : static_cast<unsigned>(index >> (kBits - 1)) - 1;
  }

  std::vector<std::uint64_t> counts_;
};

static_assert(CoarseHistogram::index_of(Histogram::kHighest) < CoarseHistogram::kBuckets);

}  // namespace wiremark::measure
