// The search for the highest rate that keeps the objectives: probes, until the edge is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "netload/run.h"

namespace wiremark::tools {

/// Probes at most: 9 doublings from 1 k to 256 k, 4 halvings of the bracket down to 5 %, each
/// failure twice, 2 repeats at the edge, and as many again for a machine that changes its mind.
inline constexpr std::size_t kProbesMax = 40;

struct Probe {
  double rate_hz = 0;
  measure::RunResult result;
  bool kept = false;
  bool generator_was_limit = false;
  std::string reason;  // Why it was not kept.

  double p99_ns() const;
};

/// Probes rates of one load, the first at its total rate.
class MaxSearch {
 public:
  /// Calls `probed` after each probe.
  MaxSearch(const LoadOptions& options, net::Backend backend, const Target& target,
            const std::vector<std::string>& arguments, const net::Stop& stop, Signals& signals,
            std::function<void(const Probe&)> probed)
      : options_(options),
        backend_(backend),
        target_(target),
        arguments_(arguments),
        stop_(stop),
        signals_(signals),
        probed_(std::move(probed)) {}

  /// Errors: a probe that cannot run.
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
  bool over() const;

  LoadOptions options_;
  net::Backend backend_;
  const Target& target_;
  const std::vector<std::string>& arguments_;
  const net::Stop& stop_;
  Signals& signals_;
  std::function<void(const Probe&)> probed_;
  std::vector<Probe> probes_;
  double kept_hz_ = 0;           // The highest rate known to be kept; 0 is none yet.
  double failed_hz_ = INFINITY;  // The lowest rate known to fail.
};

}  // namespace wiremark::tools
