// Time that a thread of a load lost, as far as its figures cover it.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace wiremark::load {

/// Where a load has come to in what is measured of it.
struct MeasuredPart {
  Nanoseconds from = 0;
  Nanoseconds end = kNever;     ///< kNever where no time was asked for.
  Nanoseconds last_answer = 0;  ///< Of the thread; 0 before the first.
};

/// Adds up spans of time, without what lies outside the measured part. A rate covers the time that
/// was asked for, or, where messages alone were, the time until the last answer. Which answer is
/// the last shows later, so what lies behind it so far is kept apart until the next one comes.
class TimeSum {
 public:
  /// Spans shorter than `least` are not added; only the longest is looked for among them.
  explicit TimeSum(Nanoseconds least = 0) noexcept : least_(least) {}

  /// A span that ends `to`, which is now: no answer has come later.
  void add(Nanoseconds from, Nanoseconds to, const MeasuredPart& part) noexcept {
    if (part.last_answer >= added_until_) covered_ = all_;
    const bool counts = to - from >= least_;
    from = std::max(from, part.from);
    to = std::min(to, part.end);
    if (from >= to) return;
    const Nanoseconds answered = std::clamp(part.last_answer, from, to);
    all_.longest = std::max(all_.longest, to - from);
    covered_.longest = std::max(covered_.longest, answered - from);
    added_until_ = to;
    if (!counts) return;
    all_.sum += to - from;
    covered_.sum += answered - from;
  }

  struct Time {
    Nanoseconds sum = 0;
    Nanoseconds longest = 0;
  };

  const Time& all() const noexcept { return all_; }
  /// Without what lies behind the last answer of all.
  const Time& until(Nanoseconds last_answer) const noexcept {
    return last_answer >= added_until_ ? all_ : covered_;
  }

 private:
  Nanoseconds least_;
  Nanoseconds added_until_ = 0;
  Time all_;
  Time covered_;  // As far as the last answer that had come when a span was added.
};

}  // namespace wiremark::load
