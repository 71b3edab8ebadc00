// The figures of a histogram as HdrHistogram would give them, in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "measure/histogram.h"

namespace wiremark::measure {

/// The percentiles and names of hdr_oracle.py. HdrHistogram keeps extremes as buckets, so ours,
/// which are exact, are rounded to theirs.
inline nlohmann::json hdr_figures(const Histogram& histogram) {
  nlohmann::json percentiles = nlohmann::json::array();
  for (const double percent : {0., 25., 50., 75., 90., 99., 99.9, 99.99, 99.999, 100.})
    percentiles.push_back(nlohmann::json::array({percent, histogram.percentile(percent)}));
  nlohmann::json buckets = nlohmann::json::array();
  histogram.for_each([&](const Histogram::Bucket& bucket) {
    buckets.push_back(nlohmann::json::array({bucket.index, bucket.count}));
  });
  return {{"count", histogram.count()},
          {"min", Histogram::lowest_of(Histogram::index_of(histogram.min()))},
          {"max", Histogram::highest_of(Histogram::index_of(histogram.max()))},
          {"mean", histogram.mean()},
          {"stddev", histogram.stddev()},
          {"percentiles", percentiles},
          {"buckets", buckets}};
}

}  // namespace wiremark::measure
