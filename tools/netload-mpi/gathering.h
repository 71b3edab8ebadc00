// What rank 0 hears of all ranks, and the one result it makes of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "netload/load_options.h"
#include "report/result.h"

namespace wiremark::tools {

/// How the netload of a rank ended, as its rank tells it to rank 0.
struct Outcome {
  std::string host;          ///< Name and address of the machine.
  double clock_ahead_s = 0;  ///< Of rank 0's clock.
  std::string lost;          ///< Why there is no result. Nothing if there is one, or if it was
                             ///< asked to end before it had one.
  std::string result;        ///< In JSON, or nothing.

  std::string to_text() const;
  static Outcome parse(const std::string& text);
};

/// Lines and outcomes of all ranks as they come.
class Gathering {
 public:
  Gathering(const LoadOptions& options, std::vector<std::string> arguments, int size);

  /// Shows the sum of a line once every rank has said its own.
  void take_line(int rank, const std::string& json);
  void take_outcome(int rank, const std::string& text);

  /// Whether the sum of a second is drawn on standard error, so that each rank must tell its own.
  bool draws() const noexcept { return draws_; }
  bool complete() const noexcept { return outcomes_.size() == static_cast<std::size_t>(size_); }
  bool has_any() const noexcept { return !outcomes_.empty(); }

  /// Those that have ended, if it were with a result: they are lost, for this reason.
  void lose_all(const std::string& why);
  /// Says which ranks could not begin, and why. The exit code.
  int say_why_not(bool interrupted) const;

  /// Adds up what came, and delivers it; a rank that has said nothing, or that has neither result
  /// nor reason, is lost for the reason `silent`. The exit code. Errors: not one result, results
  /// that cannot be added, or a file that cannot be written.
  Result<int> deliver_sum(const std::string& silent);

 private:
  Result<report::RunResult> sum(const std::string& silent, bool& lacks_one) const;
  void show(const report::Interval& interval);

  const LoadOptions& options_;
  std::vector<std::string> arguments_;
  int size_;
  bool draws_;                                        // On standard error, over the last one.
  std::vector<std::vector<report::Interval>> lines_;  // By rank.
  std::size_t shown_ = 0;
  std::map<int, Outcome> outcomes_;
};

/// "rank 2 (node1 10.0.0.1)".
std::string name_of_rank(int rank, const std::string& host);

}  // namespace wiremark::tools
