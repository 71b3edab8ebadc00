// What answers said, by kind: as text, and whether those of two runs are alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/result.h"
#include "report/study.h"

namespace wiremark::report {

/// How many of how many.
struct Share {
  std::uint64_t count = 0;
  std::uint64_t of = 0;

  double share() const noexcept {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }
};

/// In standard deviations, the difference that chance as good as never makes.
inline constexpr double kDeviations = 3;

/// By how much chance makes two shares of one kind differ, if each of what they count comes by
/// itself. Infinite where one is of nothing.
double chance_between(const Share& one, const Share& other) noexcept;

/// The answers of all rounds.
KindCounts answers_of(const Rounds& rounds);

/// A kind of answers whose share differs between two runs.
struct Unlike {
  std::string kind;
  double one_pct = 0;
  double other_pct = 0;
};

/// The kind that differs most, where that is more than 1 % and chance make. None where either has
/// no answers, since nobody told of them, or where they are of protocols that have other kinds.
std::optional<Unlike> unlike_answers(const KindCounts& one, const KindCounts& other);

/// A sentence about redirects and the like (3xx), which a server sends with less work than a page;
/// empty where there are none, or where --expect-status says which statuses are wanted.
std::string unwanted_statuses(const RunResult& result);

/// A sentence where not one of the answers was a success, which for HTTP is a 2xx, unless
/// --expect-status says what is wanted, for DNS NOERROR, and for a read a hit; else empty.
std::string without_success(const RunResult& result);

}  // namespace wiremark::report
