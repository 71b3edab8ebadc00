// A histogram of nanoseconds coarse enough to be kept for each second of a run.
#include "measure/coarse_histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wiremark::measure {

CoarseHistogram::CoarseHistogram(const Histogram& histogram) : counts_(kBuckets) {
  histogram.for_each(
      [&](const Histogram::Bucket& bucket) { add(index_of(bucket.lowest), bucket.count); });
}

bool CoarseHistogram::add(std::size_t index, std::uint64_t count) noexcept {
  if (index >= counts_.size()) return false;
  counts_[index] += count;
  return true;
}

std::uint64_t CoarseHistogram::count() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

// The rank is that of Histogram.
Nanoseconds CoarseHistogram::percentile(double percent) const noexcept {
  const double rank = std::max(1.0, std::round(percent / 100 * static_cast<double>(count())));
  double below = 0;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    below += static_cast<double>(counts_[index]);
    if (below >= rank) return highest_of(index);
  }
  return 0;
}

}  // namespace wiremark::measure
