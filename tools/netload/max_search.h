// The search for the highest rate that keeps the objectives: probes, until the edge is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/result.h"

namespace wiremark::tools {

/// Probes at most: 9 doublings from 1 k to 256 k, 4 halvings of the bracket down to 5 %, each
/// failure twice, 2 repeats at the edge, and as many again for a machine that changes its mind.
inline constexpr std::size_t kProbesMax = 40;

struct Probe {
  double rate_hz = 0;
  report::RunResult result;
  bool kept = false;
  bool generator_was_limit = false;
  std::string reason;  // Why it was not kept.

  double p99_ns() const;
};

/// Doubles and halves a rate, and repeats what may have been luck or a hiccup. What a probe is, it
/// does not know.
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
  /// The highest rate that was kept; 0 is none.
  double kept_hz() const noexcept { return kept_hz_; }
  /// The probes of that rate that kept it.
  std::vector<const Probe*> best() const;
  /// How many probes that rate had.
  std::size_t tries() const;
  /// The lowest rate that was not; none when every rate was.
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
