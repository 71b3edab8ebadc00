// The rules about what came back: errors, datagrams, and too few values to rest on.
#include <fmt/core.h>

#include <cmath>

#include "measure/quantity.h"
#include "report/answers.h"
#include "report/verdict_case.h"

namespace wiremark::report {

using namespace measure;

namespace {

// With fewer values beyond it a percentile is the luck of single values.
constexpr double kSamplesBeyondMin = 10;
// A count of n varies by about its square root: by kOwnPctMax, 10 %, at 100 messages.
constexpr std::uint64_t kMessagesMin = 100;

bool without_ids(const RunResult& result) {
  return result.delivery && result.delivery->without_ids.value_or(false);
}

}  // namespace

// Notes: what the network or the sockets did to datagrams; what was lost has a rule of its own.
void Case::judge_datagrams() {
  if (const auto& delivery = result_.delivery; delivery && result_.outcome) {
    const auto tell = [&](std::uint64_t count, const char* what) {
      if (count > 0) note(fmt::format("{} {}", format_counted(count, "answer"), what));
    };
    tell(delivery->reordered, "came behind one to a later message");
    if (!without_ids(result_)) tell(delivery->duplicated, "came more than once");
  }
  if (const auto& datagrams = result_.totals.datagrams; datagrams && datagrams->dropped > 0) {
    note(
        fmt::format("the kernel dropped {} for which {} had no room in its sockets; --rcvbuf "
                    "gives them more",
                    format_counted(datagrams->dropped, "datagram"), result_.tool));
  }
}

// An answer without an id counts as that to the newest message of its connection. One too many has
// taken the place of the next, whose own was then too many, and so on: against all. A message that
// was given up may have had its answer later, which was taken so too: against the percentiles.
void Case::judge_answers_without_ids() {
  if (!without_ids(result_)) return;
  if (const std::uint64_t surplus = result_.delivery->duplicated; surplus > 0) {
    doubt(all(),
          fmt::format("{} came beyond one for each message, and without an %{{id}} in --send "
                      "nobody knows which: others may count for the wrong message",
                      format_counted(surplus, "answer")));
  } else if (result_.outcome && result_.outcome->lost > 0) {
    doubt(
        percentiles(),
        "without an %{id} in --send the answer to a message that was given up may have counted as "
        "that to the next");
  }
}

// A wrong reply, errors over --max-errors, or connections that never opened: against all.
void Case::judge_errors() {
  const Totals& totals = result_.totals;
  for (const Check& check : result_.checks) {
    if (check.name == "verify" && !check.passed)
      doubt(all(), "a reply was not what had to come: " + check.detail);
  }
  if (const std::uint64_t errors = totals.errors_sum(); errors > 0) {
    const bool allowed = errors <= totals.errors_allowed;
    std::string text =
        fmt::format("{} ({})", format_counted(errors, "error"), counts_text(totals.errors));
    allowed ? note(std::move(text)) : doubt(all(), std::move(text));
  }
  if (totals.connections < totals.connections_asked) {
    doubt(all(), fmt::format("only {} of {} opened", format_count(totals.connections),
                             format_counted(totals.connections_asked, "connection")));
  }
}

void Case::judge_successes() {
  if (std::string none = without_success(result_); !none.empty()) note(std::move(none));
}

// A sum without one of its parts is not the load that was asked for.
void Case::judge_generators_lost() {
  if (!result_.generators) return;
  for (const Generator& one : *result_.generators) {
    if (!one.lost.empty())
      doubt(all(), fmt::format("the sum is without {}: {}", one.name, one.lost));
  }
}

// Fewer than 10 values beyond a percentile speak against it, and fewer than 100 messages against
// rate and cost. The values beyond are rounded as summarize() does, so that a percentile that it
// printed is not doubted for half a value.
void Case::judge_samples() {
  const LatencySummary& latency = result_.latency;
  if (latency.count == 0) return doubt(all(), "no message was measured");
  Figures few;
  double first = 0, beyond_first = 0;
  const auto messages = static_cast<double>(latency.count + latency.unanswered.value_or(0));
  for (const Percentile& percentile : latency.percentiles) {
    if (percentile.percent >= 100) continue;
    const double beyond = std::round(messages * (100 - percentile.percent) / 100);
    if (beyond >= kSamplesBeyondMin) continue;
    if (few.empty()) first = percentile.percent, beyond_first = beyond;
    few.push_back(percentile_name(percentile.percent));
  }
  if (!few.empty()) {
    doubt(std::move(few),
          fmt::format("{} rests on {:.0f} of {}: run longer to trust it", percentile_name(first),
                      beyond_first, format_counted(latency.count, "value")));
  }
  if (result_.role == Role::generator && result_.totals.messages < kMessagesMin) {
    doubt({kRate, kCost}, fmt::format("rate and cost rest on {}",
                                      format_counted(result_.totals.messages, "message")));
  }
  if (latency.clamped > 0) {
    note(fmt::format("{} over an hour, counted as an hour",
                     format_counted(latency.clamped, "latency value")));
  }
}

}  // namespace wiremark::report
