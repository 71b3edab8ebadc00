// A histogram of nanoseconds with HdrHistogram's bucket layout.
// One thread records; any thread may copy it meanwhile.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/clock.h"

namespace wiremark::measure {

/// Counts values of 0 to 3.6e12 ns (1 h) to 3 significant digits: values below 2,048 have a bucket
/// each, above that every power of two is cut into 1,024 buckets. The layout, and what
/// percentile(), mean() and stddev() make of it, are HdrHistogram's (hdrhistogram.org) for lowest
/// 1, highest 3,600,000,000,000, 3 digits, so that its tools agree with ours to the last
/// nanosecond.
///
/// Has 33,792 buckets of 8 bytes, 264 KiB on the heap. Only pages that counted something take
/// memory, and the first value of a page faults; after touch() recording never faults. What reads
/// all that was counted reads the buckets from the smallest value to the largest, no others.
///
/// One thread writes; others may read or copy at the same time (relaxed loads and stores, no lock
/// prefix). Each figure read from a live histogram is one the writer has passed through, but two
/// figures may stem from different moments: copy it first, then ask the copy, which is consistent.
class Histogram {
 public:
  static constexpr Nanoseconds kHighest = 3'600 * kSecond;
  static constexpr unsigned kSignificantDigits = 3;
  /// 2 x 10^3 rounded up to a power of two: the least that keeps 3 significant digits everywhere.
  static constexpr unsigned kSubBuckets = 2048;
  static constexpr std::size_t kBuckets = 33'792;

  /// Values `lowest` to `highest`, both included, are counted together.
  struct Bucket {
    std::size_t index;
    Nanoseconds lowest;
    Nanoseconds highest;
    std::uint64_t count;

    /// The value that stands for the bucket in means, as HdrHistogram picks it.
    Nanoseconds middle() const noexcept { return lowest + (highest - lowest + 1) / 2; }
  };

  Histogram();
  Histogram(const Histogram& other);
  Histogram& operator=(const Histogram& other);
  ~Histogram() { std::free(counts_); }

  /// Takes the memory of all buckets, page by page. The writer's thread only.
  void touch() noexcept;

  /// Counts one value; one above kHighest counts as kHighest and in clamped().
  void record(Nanoseconds value) noexcept { record_many(value, 1); }

  /// Counts `count` times the same value.
  void record_many(Nanoseconds value, std::uint64_t count) noexcept {
    if (value < min_.load(std::memory_order_relaxed) ||
        value > max_.load(std::memory_order_relaxed)) [[unlikely]]
      value = widen(value, count);
    raise(counts_[index_of(value)], count);
  }

  /// Adds all that `other` counted. The writer's thread only.
  void merge(const Histogram& other) noexcept;

  /// Takes away what `earlier`, a former copy of this histogram, had counted: what is left is the
  /// interval between the two. min() and max() are then exact only where the interval holds the
  /// extreme of the whole; otherwise they are their bucket's own bound. For copies, not live ones.
  void subtract(const Histogram& earlier) noexcept;

  /// Puts `count` values into bucket `index` as an exporter wrote them; false when there is no such
  /// bucket. Call restore_bounds() after the last one: until then the extremes are buckets' bounds.
  bool restore(std::size_t index, std::uint64_t count) noexcept;

  /// The exact extremes and clamped() that go with restored buckets.
  void restore_bounds(Nanoseconds min, Nanoseconds max, std::uint64_t clamped) noexcept;

  void clear() noexcept;

  bool empty() const noexcept { return count() == 0; }

  /// How many values were counted, clamped ones included. Adds up the buckets between the extremes,
  /// as everything below does: under 1 us for each power of two, 20 us from 0 to an hour.
  std::uint64_t count() const noexcept;
  std::uint64_t clamped() const noexcept { return clamped_.load(std::memory_order_relaxed); }

  /// The exact smallest and largest value recorded; 0 when there is none.
  Nanoseconds min() const noexcept;
  Nanoseconds max() const noexcept { return max_.load(std::memory_order_relaxed); }

  /// Mean and standard deviation in ns, of bucket middles; 0 when empty.
  double mean() const noexcept;
  double stddev() const noexcept;

  /// The highest value of the bucket that holds the `percent`-th percentile (0 to 100); for 0, the
  /// lowest value of the first. The rank is percent * count / 100, rounded to the nearest and at
  /// least 1. 0 when empty.
  Nanoseconds percentile(double percent) const noexcept;

  /// How many values lie above the bucket of `value`.
  std::uint64_t count_above(Nanoseconds value) const noexcept;

  /// Calls `visit(Bucket)` for each bucket that counted anything, in rising order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_in(extent(), visit);
  }

  /// The bucket that counts `value`, which must not exceed kHighest.
  static constexpr std::size_t index_of(Nanoseconds value) noexcept {
    const unsigned width = static_cast<unsigned>(std::bit_width(value | (kSubBuckets - 1)));
    const unsigned exponent = width - kSubBucketBits;
    return (std::size_t{exponent} << (kSubBucketBits - 1)) + (value >> exponent);
  }

  static constexpr Nanoseconds lowest_of(std::size_t index) noexcept {
    const unsigned exponent = exponent_of(index);
    return (index - (std::size_t{exponent} << (kSubBucketBits - 1))) << exponent;
  }

  static constexpr Nanoseconds highest_of(std::size_t index) noexcept {
    return lowest_of(index) + (Nanoseconds{1} << exponent_of(index)) - 1;
  }

 private:
  using Counter = std::atomic<std::uint64_t>;

  static constexpr unsigned kSubBucketBits = std::bit_width(kSubBuckets) - 1;

  static constexpr unsigned exponent_of(std::size_t index) noexcept {
    return index < kSubBuckets ? 0 : static_cast<unsigned>(index >> (kSubBucketBits - 1)) - 1;
  }

  /// Buckets `first` to `end`, that one excluded.
  struct Extent {
    std::size_t first = 0, end = 0;
  };

  // Outside of it no bucket counts anything: bounds are widened before a value is counted.
  static constexpr Extent extent_of(Nanoseconds min, Nanoseconds max) noexcept {
    return min <= max ? Extent{index_of(min), index_of(max) + 1} : Extent{};
  }
  Extent extent() const noexcept { return extent_of(min_.load(std::memory_order_relaxed), max()); }

  template <class Visit>
  void for_each_in(Extent extent, Visit&& visit) const {
    for (std::size_t index = extent.first; index < extent.end; ++index) {
      const std::uint64_t held = counts_[index].load(std::memory_order_relaxed);
      if (held > 0) visit(Bucket{index, lowest_of(index), highest_of(index), held});
    }
  }

  // With one writer a load and a store are enough; they also spare the lock prefix of fetch_add.
  static void raise(Counter& counter, std::uint64_t by) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  // For a value beyond the bounds: widens them, and clamps it. Seldom, and kept out of what is not.
  [[gnu::noinline]] Nanoseconds widen(Nanoseconds value, std::uint64_t count) noexcept;
  void widen_to(Nanoseconds min, Nanoseconds max) noexcept;
  void narrow_to(Nanoseconds min, Nanoseconds max) noexcept;

  // Memory that is zero without being written, as the operating system gives it. A plain pointer:
  // the operators of a unique_ptr are calls where nothing is optimized, 33,792 of them for a sum.
  Counter* counts_;
  Counter min_{UINT64_MAX};
  Counter max_{0};
  Counter clamped_{0};
};

static_assert(Histogram::index_of(Histogram::kHighest) < Histogram::kBuckets);

}  // namespace wiremark::measure
