// Which figures of a run can be trusted, and why not the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace wiremark::report {

/// The figures that are judged, each by itself, beside the percentiles ("p99"). Mean, deviation and
/// maximum hold every value: they stand where all percentiles do.
inline constexpr const char* kRate = "rate";
inline constexpr const char* kCost = "cost";  ///< Processor time per message, of both ends.

/// A sentence that speaks against some of the figures.
struct Doubt {
  std::string reason;
  std::vector<std::string> figures;
};

/// Why a result should be doubted. What makes a figure that of something else than the server under
/// the load that was asked for is a doubt; what a reader should know and may live with is a note.
/// The rules and their arithmetic are in verdict_case.h and the files it names.
struct Judgement {
  std::vector<std::string> figures;  ///< All that are judged.
  std::vector<Doubt> doubts;
  std::vector<std::string> notes;
};

/// "p99.9"
std::string percentile_name(double percent);

Judgement judge(const RunResult& result);

/// What no run can have measured, whatever the server and the machine: a fault of what measured it,
/// or of the document that it was read from.
Judgement judge_bounds(const RunResult& result);

/// Whether the generator cannot have done more than it did: over 90 % busy, or over 1 % of what it
/// sent behind time by its own doing. A higher rate says nothing then.
bool generator_was_limit(const RunResult& result);

/// Whether that was for its own work: its threads filled over 90 % of the processors they may have.
/// Else it stood still, or others had them. One that spins fills them always; it was full where it
/// sent more messages behind time than it can have while it had no processor.
bool generator_was_full(const RunResult& result);

/// Whether one of these figures is longer because an end had no processor or stood still: it says
/// nothing of the server then.
bool machine_was_limit(const RunResult& result, const std::vector<std::string>& figures);

/// The verdict that doubts amount to.
Verdict verdict_of(const Judgement& judgement);

/// Adds the judgement to result.warnings, its reasons in front of what a tool has put there and its
/// notes behind, and, for a generator, sets result.verdict. What no run can have measured is added
/// last, whatever the judgement. Call it once, when all else of the result is in place.
void pass_verdict(RunResult& result);
void pass_verdict(RunResult& result, Judgement judgement);

/// Judges a generator's result that was read from a document, whose verdict may be of an earlier
/// version, or of who changed the document. What speaks against a figure that this verdict calls
/// valid is added to it and to result.warnings. A verdict that is missing is passed.
void judge_again(RunResult& result);

}  // namespace wiremark::report
