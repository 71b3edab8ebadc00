// The search for the highest rate that keeps the objectives: probes, until the edge is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/study.h"

namespace wiremark::tools {

using report::kProbesMax;
using report::Probe;

/// Doubles and halves a rate, and repeats probes whose outcome may have been chance. It does not
/// know what a probe is.
class MaxSearch {
 public:
  /// Loads at a rate, in messages a second, and judges it. Errors: a load that cannot run.
  using Prober = std::function<Result<Probe>(double rate_hz)>;

  /// Begins at `first_hz`, and ends early when `stopped` says so.
  MaxSearch(double first_hz, Prober prober, std::function<bool()> stopped)
      : first_hz_(first_hz), prober_(std::move(prober)), stopped_(std::move(stopped)) {}

  /// Errors: those of a probe.
  Result<> run();

  const std::vector<Probe>& probes() const noexcept { return probes_; }
  /// The highest rate that was kept; 0: none.
  double kept_hz() const noexcept { return kept_hz_; }
  /// The probes of that rate that kept it.
  std::vector<const Probe*> best() const;
  /// How many probes there were at that rate.
  std::size_t tries() const;
  /// The probe of the lowest rate that was not kept; null if all were.
  const Probe* next() const;

 private:
  Result<bool> keeps(double rate_hz);
  Result<bool> probe(double rate_hz);
  Result<> confirm();
  bool over() const { return stopped_() || probes_.size() >= kProbesMax; }

  double first_hz_;
  Prober prober_;
  std::function<bool()> stopped_;
  std::vector<Probe> probes_;
  double kept_hz_ = 0;           // The highest rate known to be kept; 0 is none yet.
  double failed_hz_ = INFINITY;  // The lowest rate known to fail.
};

}  // namespace wiremark::tools
