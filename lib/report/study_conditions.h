// What stands below the table of a study as text: where it ran, and what speaks against its runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/study.h"

namespace wiremark::report {

/// The rounds of one backend, or of one way.
struct Part {
  std::string_view name;
  const Rounds& rounds;
};
using Parts = std::vector<Part>;

/// Sentences of several runs, those of one kind together, which differ in their figures only: each
/// kind by its first sentence, and how many there are.
std::vector<std::pair<std::string, std::size_t>> kinds_of(
    const std::vector<std::string>& sentences);

/// The client's path, the processors and the machine, the rounds that were left out, what no run on
/// one machine can show, the reasons and warnings of all runs, and the round that failed. What all
/// have in common is taken from the first.
std::string conditions_text(const Setting& setting, const Parts& parts, std::uint64_t left_out,
                            const std::optional<FailedRound>& failed);

}  // namespace wiremark::report
