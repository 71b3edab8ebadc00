// The histograms of a load as an interval log that HdrHistogram's tools read.
#pragma once

#include <string>
#include <vector>

#include "netload/load_tally.h"
#include "report/result.h"

namespace wiremark::tools {

/// One line for each kind of time and each interval that has any; the lines of a kind add up to its
/// histogram in the result. Tags: latency, and with a rate service and lateness. Used by the
/// control thread.
class HdrLog {
 public:
  HdrLog(const LoadTally& tally, bool open_loop);

  /// The measured part begins `at`, which is `clock` in the calendar.
  void begin(Nanoseconds at, std::chrono::system_clock::time_point clock);

  /// Adds what was recorded since the last call, or since the beginning.
  void log_until(Nanoseconds at);

  /// All of it, with what it leaves out of `result`, to which its lines add up.
  std::string text(const report::RunResult& result) const;

 private:
  struct Kind {
    std::string tag;
    measure::Histogram load::Counts::* member;
    measure::Histogram logged;
  };

  const LoadTally* tally_;
  std::string head_;
  std::string lines_;
  std::vector<Kind> kinds_;
  Nanoseconds begun_ = 0;
  Nanoseconds last_ = 0;
};

}  // namespace wiremark::tools
