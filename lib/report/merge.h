// Several results added into one.
#pragma once

#include <span>

#include "base/result.h"
#include "report/merge_fields.h"
#include "report/result.h"

namespace wiremark::report {

/// Adds the runs up, each figure as its line in result_fields.h says: histograms bucket by bucket
/// and so without loss, messages, bytes, plans, errors and processor time too. Of the others:
///
/// - The seconds are those of the longest run at once, or the sum of runs in turn.
/// - Several runs at once against one target have measured the same server: the largest of what
///   each says of it counts. Apart or in turn its shares are added.
/// - What not every run has is left out: packets, a server, an outcome.
/// - The shares of the machine are means, weighted with the seconds.
/// - Intervals are left out: their percentiles cannot be added. So are the stages of a server in
///   ticks, whose backlogs are summaries without buckets.
/// - The distance of the processors is left out: it was measured around one run, and where the runs
///   differ in it no figure of the whole belongs to either.
/// - A check has passed when it passed in every run. Options that differ are joined with commas.
/// - The whole is judged anew, and so is each part with the latency of the whole.
///
/// Errors: runs of another tool or of another `from`, or with and without a rate; each named by its
/// place from 1 on.
Result<RunResult> merge(std::span<const RunResult> runs, Order order);

/// Adds `more` to `into` by their buckets.
void add(LatencySummary& into, const LatencySummary& more);

}  // namespace wiremark::report
