// What answers said, by kind: as text, and whether those of two runs are alike.
#pragma once

#include <optional>
#include <string>

#include "report/result.h"
#include "report/study.h"

namespace wiremark::report {

/// The answers of all rounds.
KindCounts answers_of(const Rounds& rounds);

/// A kind of answers whose share differs between two runs.
struct Unlike {
  std::string kind;
  double one_pct = 0;
  double other_pct = 0;
};

/// The kind that differs most, where that is more than 1 % and chance make (three standard
/// deviations of a share). None where either has no answers, since nobody told of them,
/// or where they are of protocols that have other kinds.
std::optional<Unlike> unlike_answers(const KindCounts& one, const KindCounts& other);

/// A sentence about redirects and the like (3xx), which a server sends with less work than a page;
/// empty where there are none, or where --expect-status says which statuses are wanted.
std::string unwanted_statuses(const RunResult& result);

/// A sentence where not one of the answers was a success, which for HTTP is a 2xx, unless
/// --expect-status says what is wanted, for DNS NOERROR, and for a read a hit; else empty.
std::string without_success(const RunResult& result);

}  // namespace wiremark::report
