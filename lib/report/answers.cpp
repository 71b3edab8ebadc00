// What answers said, by kind: as text, and whether those of two runs are alike.
#include "report/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>

#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

namespace {

// As load::HitsAndMisses names them.
constexpr const char* kHitName = "hit";
constexpr const char* kMissName = "miss";

Share share_of(const KindCounts& answers, const std::string& kind) {
  const auto found = std::ranges::find(answers, kind, &KindCounts::value_type::first);
  return {found == answers.end() ? 0 : found->second, sum_of(answers)};
}

// What the kinds of these answers are, which all have at least one.
enum class Told : std::uint8_t { statuses, reads, rcodes };

Told told_by(const KindCounts& answers) {
  const std::string& kind = answers.front().first;
  if (!kind.empty() && std::isdigit(static_cast<unsigned char>(kind.front())))
    return Told::statuses;
  return kind == kHitName || kind == kMissName ? Told::reads : Told::rcodes;
}

// Those whose kind begins so.
KindCounts those_of(const KindCounts& answers, std::string_view kind) {
  KindCounts some;
  std::ranges::copy_if(answers, std::back_inserter(some),
                       [&](const auto& one) { return one.first.starts_with(kind); });
  return some;
}

}  // namespace

double chance_between(const Share& one, const Share& other) noexcept {
  const auto ones = static_cast<double>(one.of), others = static_cast<double>(other.of);
  if (ones == 0 || others == 0) return std::numeric_limits<double>::infinity();
  const double pooled = static_cast<double>(one.count + other.count) / (ones + others);
  return kDeviations * std::sqrt(pooled * (1 - pooled) * (1 / ones + 1 / others));
}

KindCounts answers_of(const Rounds& rounds) {
  KindCounts all;
  for (const RunResult& run : rounds) {
    for (const auto& [kind, count] : run.answers.value_or(KindCounts()))
      add_count(all, kind, count);
  }
  return all;
}

std::optional<Unlike> unlike_answers(const KindCounts& one, const KindCounts& other) {
  constexpr double kShare = 0.01;
  if (sum_of(one) == 0 || sum_of(other) == 0 || told_by(one) != told_by(other)) return std::nullopt;
  std::optional<Unlike> most;
  double most_apart = 0;
  for (const KindCounts* side : {&one, &other}) {
    for (const auto& [kind, count] : *side) {
      const Share ones = share_of(one, kind), others = share_of(other, kind);
      const double apart = std::abs(ones.share() - others.share());
      if (apart <= kShare + chance_between(ones, others) || apart <= most_apart) continue;
      most_apart = apart;
      most = {kind, 100 * ones.share(), 100 * others.share()};
    }
  }
  return most;
}

std::string unwanted_statuses(const RunResult& result) {
  if (!result.answers || !result.option("expect-status").empty()) return {};
  const KindCounts unwanted = those_of(*result.answers, "3");
  if (unwanted.empty()) return {};
  return fmt::format("{} of {} had a status of 3xx ({}), which no --expect-status names",
                     format_count(sum_of(unwanted)),
                     format_counted(sum_of(*result.answers), "answer"), counts_text(unwanted));
}

std::string without_success(const RunResult& result) {
  if (!result.answers || result.answers->empty()) return {};
  const KindCounts& answers = *result.answers;
  switch (told_by(answers)) {
    case Told::statuses:
      if (!result.option("expect-status").empty() || !those_of(answers, "2").empty()) return {};
      return fmt::format(
          "no answer had a status of 2xx ({}): --expect-status names those that are wanted",
          counts_text(answers));
    case Told::reads:
      if (!those_of(answers, kHitName).empty()) return {};
      return fmt::format("not one of {} found what it asked for: is the server filled?",
                         format_counted(sum_of(answers), "read"));
    case Told::rcodes:
      if (!those_of(answers, "NOERROR").empty()) return {};
      return fmt::format("no answer was NOERROR ({})", counts_text(answers));
  }
  return {};
}

}  // namespace wiremark::report
