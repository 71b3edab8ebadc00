// Several results added into one.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "report/result.h"

namespace wiremark::report {

/// How the runs lay in time: side by side, as several generators of one load do, or one after the
/// other.
enum class Order { at_once, in_turn };

/// Adds the runs up, each figure as its line in the table says: histograms bucket by bucket
/// and so without loss, messages, bytes, plans, errors and processor time too. Of the others:
///
/// - The seconds are those of the longest run at once, or the sum of runs in turn.
/// - Several runs at once against one target have measured the same server: the largest of what
///   each says of it counts. Apart or in turn its shares are added.
/// - What not every run has is left out, and a warning says which: packets, a server, an outcome.
///   Only of what is the largest of all, such as a gap, that of the others counts.
/// - The shares of the machine are means, weighted with the seconds.
/// - Intervals are added where they lie at the same times, to the resolution of their buckets. Runs
///   in turn have theirs one behind the other.
/// - The stages of a server in ticks are left out, whose backlogs are summaries without buckets.
/// - The distance of the processors is left out: it was measured around one run, and where the runs
///   differ in it no figure of the whole belongs to either.
/// - Runs at once against one target are no other clients of its server to each other.
/// - A check has passed when it passed in every run. Options that differ are joined with commas.
/// - The host is that of the first, with 0 processors, which means that they are not known, where
///   another has an unlike number of them.
/// - The whole is judged anew, and so is each part with the latency of the whole. What no run can
///   have measured stands against the sum, and so does what the verdict of a part has from
///   elsewhere than its figures: from the parts of which it is the sum.
/// - Each run of generators at once is a part in the result. So are the `lost`, which have no run:
///   with one of them no figure stands.
/// - Runs at once that had less than nine tenths of the longest in common: against every figure of
///   the sum but the cost.
///
/// `names` are those of the runs, such as their files; without them it is their place from 1 on.
/// Errors: runs of another tool or of another `from`, or with and without a rate; runs at once that
/// had no moment in common, or runs in turn that had; a run that does not say when it was.
Result<RunResult> merge(std::span<const RunResult> runs, Order order,
                        std::span<const std::string> names = {},
                        std::span<const Generator> lost = {});

/// A run as a part called `name` of a sum, which merge() makes of it where it has none.
Generator generator_of(const RunResult& run, const std::string& name);

}  // namespace wiremark::report
