// Whether the figures of a run can be trusted, and why not.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace wiremark::report {

/// A generator busier than this may be what was measured, instead of the server.
inline constexpr double kGeneratorBusyPctMax = 90;
/// The share of planned messages that may be unsent, behind by the generator's doing, or lost, and
/// of datagrams sent that may be lost: one in a hundred more, and they alone decide what p99 is.
inline constexpr double kScheduleMissedPctMax = 1;
/// How much shorter a percentile may be without the generator's own lateness, in percent of it, and
/// in time: a timer may be 50 us late by its slack and as much again by the wake (prctl(2),
/// PR_SET_TIMERSLACK), on any machine.
inline constexpr double kOwnPctMax = 10;
inline constexpr Nanoseconds kOwnLatenessMin = 100 * kMicrosecond;
/// The share of its time that a generator without a plan may not have listened: its rate would be
/// that much higher.
inline constexpr double kHeldUpPctMax = 10;
/// Time the hypervisor gave to others shows up as latency of nobody here, and by the same
/// arithmetic decides p99.
inline constexpr double kStealPctMax = 1;
/// Processor time, in percent of one core, that neither end of the run accounts for.
inline constexpr double kOthersBusyPctMax = 20;
/// Fewer values beyond a percentile than this, and it is the luck of single values.
inline constexpr double kSamplesBeyondMin = 10;

/// Why `result` should be doubted, one sentence each. What makes its figures those of something
/// else than the server under the load that was asked for is a reason; what a reader should know
/// and may live with is a note.
///
/// Reasons: the generator was at its limit and the server was not, the plan was missed, a
/// percentile up to the 99th is the generator's own lateness, it stood still for a part of a closed
/// loop, the hypervisor took time away, more errors than allowed, connections that are missing, too
/// few messages for a p99. Notes: less of each of these, messages that a slow server held up (their
/// wait is in the latency), a higher percentile on few values, other work on the machine.
struct Judgement {
  std::vector<std::string> reasons;
  std::vector<std::string> notes;
};

Judgement judge(const RunResult& result);

/// Whether the generator cannot have done more than it did: over kGeneratorBusyPctMax busy, or
/// over kScheduleMissedPctMax of the plan behind by its own doing. A higher rate says nothing then.
bool generator_was_limit(const RunResult& result);

/// Adds the judgement to result.warnings, its reasons in front of what a tool has put there and its
/// notes behind, and, for a generator, sets result.verdict. Call it once, when all else of the
/// result is in place.
void pass_verdict(RunResult& result);

}  // namespace wiremark::report
