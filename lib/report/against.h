// Results beside earlier ones: what became worse, and how sure that is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/answers.h"
#include "report/codec_table.h"
#include "report/study.h"

namespace wiremark::report {

/// A figure now over the same figure then.
struct Moved {
  std::string what;                              ///< "epoll: server CPU per message".
  std::optional<measure::MedianInterval> ratio;  ///< None where one side has no such figure.
  bool higher_is_worse = true;
  bool doubted = false;  ///< One side has it from runs that cannot be trusted for it.
  Answer answer = Answer::undecided;
};

/// Messages that failed in one way, on both sides.
struct Failures {
  std::string what;  ///< "epoll: errors".
  Share before, after;
  Answer answer = Answer::undecided;  ///< slower and faster: surely more of them, and fewer.
};

/// Two sides, figure by figure.
struct Against {
  double tolerance_pct = 0;
  /// Round by round, because the rounds of the two followed one another in turn. Without that each
  /// side has an interval of its own, which takes more rounds; see measure::unpaired_ratio().
  bool paired = false;
  std::vector<Moved> figures;
  std::vector<Failures> failures;  ///< Those of which there are some.
  std::string unlike;  ///< How the answers differ, where that is since more or fewer failed.

  bool worse() const;
};

/// What keeps two runs from being compared, with both values: the machine, the build, the backend
/// or an option. Empty where nothing does. Versions may differ, and so may the target's address.
std::string difference(const RunResult& before, const RunResult& after);

/// Runs of the same load, then and now. Errors: difference(); answers of other kinds than before,
/// where no more of them are errors, nor fewer.
Result<Against> against(const Rounds& before, const Rounds& after, double tolerance_pct);
/// The backends of two comparisons. Errors: they are not the same backends, a round of one failed,
/// or difference().
Result<Against> against(const Comparison& before, const Comparison& after, double tolerance_pct);

/// A line for each figure, and one sentence that concludes.
std::string text_report(const Against& study);

}  // namespace wiremark::report
