// When the ranks of a load begin: what rank 0 proposes, until all have agreed.
#pragma once

#include <optional>
#include <set>

#include "base/clock.h"

namespace wiremark::tools {

/// Rank 0 names a moment to all, and each answers whether its netload will begin then. Should one
/// be too late, or silent for a quarter of the time until that moment, all are told another one,
/// twice as far ahead. So the time that is agreed on is four times the slowest answer or more, and
/// three quarters of it are left for a new moment to arrive before anybody has begun. Knows no
/// clock and no MPI.
class Agreement {
 public:
  /// What all are told.
  struct Proposal {
    int number = 0;        ///< From 1.
    Nanoseconds lead = 0;  ///< From now to the moment.
  };

  explicit Agreement(int ranks) : ranks_(ranks) {}

  /// What all must be told now, if anything. Called often, and as soon as all ranks are ready.
  std::optional<Proposal> propose(Nanoseconds now);
  /// That a rank will begin at the moment of a proposal, or that this came too late for it.
  void take(int rank, int number, bool in_time);

  bool reached() const noexcept { return last_.number > 0 && missing_.empty(); }
  /// After eight seconds of moments to which not all have agreed.
  bool given_up() const noexcept { return given_up_; }
  /// Who has not agreed to the last proposal.
  const std::set<int>& missing() const noexcept { return missing_; }

 private:
  int ranks_;
  Proposal last_;
  Nanoseconds told_ = 0;
  bool too_late_ = false;
  bool given_up_ = false;
  std::set<int> missing_;
};

}  // namespace wiremark::tools
