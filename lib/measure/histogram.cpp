// A histogram of nanoseconds with HdrHistogram's bucket layout.
#include "measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <type_traits>

namespace wiremark::measure {

static_assert(std::is_trivially_destructible_v<std::atomic<std::uint64_t>> &&
              sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));

Histogram::Histogram() : counts_(static_cast<Counter*>(std::calloc(kBuckets, sizeof(Counter)))) {
  if (!counts_) throw std::bad_alloc();
}

Histogram::Histogram(const Histogram& other) : Histogram() { *this = other; }

Histogram& Histogram::operator=(const Histogram& other) {
  if (this == &other) return *this;
  clear();
  merge(other);
  narrow_to(min_.load(std::memory_order_relaxed), max());
  return *this;
}

void Histogram::touch() noexcept {
  constexpr std::size_t kOfPage = 4096 / sizeof(Counter);  // Of the smallest that Linux has.
  for (std::size_t index = 0; index < kBuckets; index += kOfPage) raise(counts_[index], 0);
  raise(counts_[kBuckets - 1], 0);
}

Nanoseconds Histogram::widen(Nanoseconds value, std::uint64_t count) noexcept {
  if (value > kHighest) {
    raise(clamped_, count);
    value = kHighest;
  }
  widen_to(value, value);
  return value;
}

void Histogram::widen_to(Nanoseconds min, Nanoseconds max) noexcept {
  min_.store(std::min(min_.load(std::memory_order_relaxed), min), std::memory_order_relaxed);
  max_.store(std::max(this->max(), max), std::memory_order_relaxed);
}

void Histogram::merge(const Histogram& other) noexcept {
  // Read once: the other may be counting, and widen its bounds meanwhile.
  const Nanoseconds min = other.min_.load(std::memory_order_relaxed);
  const Nanoseconds max = other.max();
  widen_to(min, max);
  other.for_each_in(extent_of(min, max),
                    [this](const Bucket& bucket) { raise(counts_[bucket.index], bucket.count); });
  raise(clamped_, other.clamped());
}

void Histogram::subtract(const Histogram& earlier) noexcept {
  earlier.for_each([this](const Bucket& bucket) {
    const std::uint64_t held = counts_[bucket.index].load(std::memory_order_relaxed);
    counts_[bucket.index].store(held - std::min(held, bucket.count), std::memory_order_relaxed);
  });
  clamped_.store(clamped() - std::min(clamped(), earlier.clamped()), std::memory_order_relaxed);
  narrow_to(min_.load(std::memory_order_relaxed), max());
}

bool Histogram::restore(std::size_t index, std::uint64_t count) noexcept {
  if (index >= kBuckets) return false;
  widen_to(lowest_of(index), lowest_of(index));
  raise(counts_[index], count);
  return true;
}

void Histogram::restore_bounds(Nanoseconds min, Nanoseconds max, std::uint64_t clamped) noexcept {
  clamped_.store(clamped, std::memory_order_relaxed);
  narrow_to(min, max);
}

void Histogram::clear() noexcept {
  const auto [first, end] = extent();
  for (std::size_t index = first; index < end; ++index) {
    // A page that counts nothing is not written.
    if (counts_[index].load(std::memory_order_relaxed) > 0)
      counts_[index].store(0, std::memory_order_relaxed);
  }
  min_.store(UINT64_MAX, std::memory_order_relaxed);
  max_.store(0, std::memory_order_relaxed);
  clamped_.store(0, std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const noexcept {
  std::uint64_t total = 0;
  const auto [first, end] = extent();
  for (std::size_t index = first; index < end; ++index)
    total += counts_[index].load(std::memory_order_relaxed);
  return total;
}

Nanoseconds Histogram::min() const noexcept {
  const Nanoseconds smallest = min_.load(std::memory_order_relaxed);
  return smallest == UINT64_MAX ? 0 : smallest;
}

double Histogram::mean() const noexcept {
  double sum = 0;
  std::uint64_t total = 0;
  for_each([&](const Bucket& bucket) {
    sum += static_cast<double>(bucket.count) * static_cast<double>(bucket.middle());
    total += bucket.count;
  });
  return total == 0 ? 0 : sum / static_cast<double>(total);
}

double Histogram::stddev() const noexcept {
  const double centre = mean();
  double sum = 0;
  std::uint64_t total = 0;
  for_each([&](const Bucket& bucket) {
    const double distance = static_cast<double>(bucket.middle()) - centre;
    sum += static_cast<double>(bucket.count) * distance * distance;
    total += bucket.count;
  });
  return total == 0 ? 0 : std::sqrt(sum / static_cast<double>(total));
}

Nanoseconds Histogram::percentile(double percent) const noexcept {
  const std::uint64_t total = count();
  if (total == 0) return 0;
  const double wanted = std::clamp(percent, 0.0, 100.0) * static_cast<double>(total) / 100.0 + 0.5;
  const std::uint64_t rank =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, total);
  std::uint64_t passed = 0;
  const auto [first, end] = extent();
  for (std::size_t index = first; index < end; ++index) {
    passed += counts_[index].load(std::memory_order_relaxed);
    if (passed >= rank) return percent > 0 ? highest_of(index) : lowest_of(index);
  }
  return max();
}

std::uint64_t Histogram::count_above(Nanoseconds value) const noexcept {
  if (value >= kHighest) return 0;
  std::uint64_t above = 0;
  const auto [first, end] = extent();
  for (std::size_t index = std::max(first, index_of(value) + 1); index < end; ++index)
    above += counts_[index].load(std::memory_order_relaxed);
  return above;
}

// Sets the extremes as close to these as the buckets allow: those of the whole are not those of a
// difference, and a copy may have been taken while another thread recorded.
void Histogram::narrow_to(Nanoseconds min, Nanoseconds max) noexcept {
  std::size_t first = kBuckets;
  std::size_t last = 0;
  for_each([&](const Bucket& bucket) {
    first = std::min(first, bucket.index);
    last = bucket.index;
  });
  const bool none = first == kBuckets;
  min_.store(none ? UINT64_MAX : std::clamp(min, lowest_of(first), highest_of(first)),
             std::memory_order_relaxed);
  max_.store(none ? 0 : std::clamp(max, lowest_of(last), highest_of(last)),
             std::memory_order_relaxed);
}

}  // namespace wiremark::measure
