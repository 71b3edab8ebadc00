// The highest rate that keeps the objectives, found in probes.
#pragma once

#include "netload/run.h"

namespace wiremark::tools {

/// Runs `options` at rates that double from the one that it has (1 k) until one fails, halves the
/// bracket between the last two until it is within 5 %, and repeats the highest rate that was kept.
/// A rate has failed when it failed twice, and is the result when it was kept in two of three. Each
/// probe ends at most its duration after its planned end, so all of it takes at most kProbesMax
/// times its warm-up and twice its duration. Prints every probe and the outcome, or the document
/// of schemas/find-max.schema.json.
///
/// The exit code: kCheckFailed when no rate keeps the objectives. Errors: those of run_load().
Result<int> find_max(LoadOptions options, net::Backend backend, const Target& target,
                     const std::vector<std::string>& arguments, const net::Stop& stop,
                     Signals& signals);

}  // namespace wiremark::tools
