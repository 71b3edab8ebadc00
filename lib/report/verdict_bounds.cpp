// The rules about what no run can have measured, whatever the server and the machine: a figure
// beyond them is that of a fault, in the measurement or in the document that has it.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "measure/quantity.h"
#include "report/verdict_case.h"

namespace wiremark::report {

using namespace measure;

namespace {

// A message and its reply are at least four system calls, which write, wake and read. Fastest were
// 4 us, over a Unix socket with both ends spinning.
constexpr Nanoseconds kExchangeMin = 500;
// Times that were taken one after the other, and the values of buckets, differ by so much.
constexpr double kRounding = 1.02;
constexpr double kRoundingS = 0.001;
// The kernel may have counted processor time in ticks of 10 ms, and counts it while it is read.
constexpr double kProcessorRoundingS = 0.05;

/// A number that a run has among its options.
std::optional<double> number_of(const RunResult& result, std::string_view option) {
  const std::string* text = result.find_option(option);
  if (!text) return std::nullopt;
  double number = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, status] = std::from_chars(text->data(), end, number);
  return status == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

std::optional<double> seconds_of(const RunResult& result, std::string_view option) {
  const std::string* text = result.find_option(option);
  if (!text) return std::nullopt;
  const auto time = parse_duration(*text);
  return time ? std::optional(static_cast<double>(*time) / kSecond) : std::nullopt;
}

// What came after the time that was asked for: nothing where no time was. None where nobody says,
// and of an interrupted run, whose threads take answers until they hear of it.
std::optional<Drain> drain_of(const RunResult& result) {
  if (result.interrupted) return std::nullopt;
  if (result.totals.drain) return result.totals.drain;
  return seconds_of(result, "duration") == 0 ? std::optional(Drain()) : std::nullopt;
}

// How many messages of the warm-up may have been answered in the measured part: in a closed loop
// those under way, with a rate all that it planned, of which Poisson arrivals vary.
std::optional<double> warm_up_of(const RunResult& result) {
  const auto seconds = seconds_of(result, "warmup");
  if (!seconds || *seconds == 0) return seconds;
  const auto connections = static_cast<double>(result.totals.connections_asked);
  const auto each = number_of(result, result.pacing ? "rate" : "pipeline");
  if (!each) return std::nullopt;
  return result.pacing ? 2 * *each * connections * *seconds + 100 : *each * connections;
}

// As load::kOneWay names it.
bool is_one_way(const RunResult& result) { return result.option("format") == "none"; }

}  // namespace

Judgement Case::judge_bounds() {
  if (result_.role == Role::generator) {
    judge_costs();
    judge_processors();
    judge_counts();
    judge_answered();
    judge_fastest();
    judge_slowest();
    judge_under_way();
  }
  return std::move(judgement_);
}

// Who sent or took a message has spent something on it: over a nanosecond each, however many come
// at once.
void Case::judge_costs() {
  const auto weigh = [&](const char* end, const CpuShare& spent, const char* why) {
    const double spent_ns = spent.total_s() * kSecond;
    if (spent_ns >= static_cast<double>(result_.totals.messages)) return;
    doubt({kCost}, fmt::format("the {} spent {} on {}: {}", end, format_time(spent_ns),
                               format_counted(result_.totals.messages, "message"), why));
  };
  weigh("generator", result_.cpu, "not all of its processor time was counted");
  if (result_.server_cpu)
    weigh("server", *result_.server_cpu, "it did not take them, or another process did");
}

// Both ends together have no more than all processors.
void Case::judge_processors() {
  const double seconds = result_.cpu.seconds.value_or(result_.totals.seconds);
  const unsigned cores = result_.host.cores_online;
  if (seconds <= 0 || cores == 0 || is_of_several(result_)) return;
  double pct = result_.cpu.pct(seconds);
  if (result_.server_cpu) pct += result_.server_cpu->pct(seconds);
  if (pct <= 100 * cores * (kRounding + kProcessorRoundingS / seconds)) return;
  doubt({kCost}, fmt::format("{} took {} of a core in all, and there {} {}",
                             result_.server_cpu ? "both ends" : "the generator", format_share(pct),
                             cores == 1 ? "is" : "are", cores));
}

// A part is no more than the whole, and each message has its one value in every histogram.
void Case::judge_counts() {
  const Totals& totals = result_.totals;
  if (totals.connections_asked > 0 && totals.connections > totals.connections_asked) {
    doubt(all(), fmt::format("{} opened, of {} asked for",
                             format_counted(totals.connections, "connection"),
                             format_count(totals.connections_asked)));
  }
  if (!result_.outcome) return;
  const Outcome& outcome = *result_.outcome;
  const Pacing pacing = result_.pacing.value_or(Pacing());
  const std::uint64_t behind = std::max(pacing.behind, pacing.overdue);
  if (behind > outcome.sent) {
    doubt(all_but_cost(),
          fmt::format("{} sent behind time, of {} sent", format_counted(behind, "message"),
                      format_count(outcome.sent)));
  }
  const auto weigh = [&](const char* what, std::uint64_t values, std::uint64_t messages) {
    if (values == messages) return;
    doubt(all_but_cost(), fmt::format("{} has {} for {}", what, format_counted(values, "value"),
                                      format_counted(messages, "message")));
  };
  const auto weigh_all = [&](const char* what, const std::optional<LatencySummary>& of,
                             std::uint64_t messages) {
    if (of) weigh(what, of->count + of->unanswered.value_or(0), messages);
  };
  weigh_all("latency", result_.latency, outcome.planned);
  weigh_all("latency without the generator's lateness", result_.least, outcome.answered);
  weigh_all("lateness", result_.lateness, outcome.sent);
  weigh_all("service time", result_.service, outcome.sent);
  const std::uint64_t told = sum_of(result_.answers.value_or(KindCounts()));
  if (told > outcome.answered) weigh("answers by kind", told, outcome.answered);
}

// The answers of the time that was asked for are those to its own messages, less those that came
// later, and to what the warm-up had under way.
void Case::judge_answered() {
  const std::uint64_t messages = result_.totals.messages;
  if (messages > 0 && result_.totals.seconds <= 0)
    doubt({kRate}, format_counted(messages, "message") + " in no time");
  const auto drain = drain_of(result_);
  if (!result_.outcome || !drain) return;
  const std::uint64_t answered = result_.outcome->answered;
  const std::uint64_t own = answered - std::min(answered, drain->messages);
  const auto warm_up = warm_up_of(result_);
  if (messages >= own && (!warm_up || static_cast<double>(messages - own) <= *warm_up)) return;
  doubt({kRate, kCost}, fmt::format("{} make the rate, and {} were answered in the time",
                                    format_counted(messages, "message"), format_count(own)));
}

// The percentiles whose value is such, and the values.
std::pair<Figures, std::string> Case::percentiles_where(
    const std::function<bool(Nanoseconds)>& is_such) const {
  Figures names;
  std::string values;
  for (const Percentile& percentile : result_.latency.percentiles) {
    if (percentile.percent >= 100 || !is_such(percentile.ns)) continue;
    names.push_back(percentile_name(percentile.percent));
    values += fmt::format("{}{} {}", values.empty() ? "" : ", ", names.back(),
                          format_time(percentile.ns));
  }
  return {std::move(names), std::move(values)};
}

void Case::judge_fastest() {
  if (is_one_way(result_)) return;
  const auto [hit, values] = percentiles_where([](Nanoseconds ns) { return ns < kExchangeMin; });
  if (hit.empty()) return;
  doubt(hit, values + ": the kernel alone needs more for a message and its reply");
}

// A message is planned in the time that was asked for, and has its answer before the drain ends.
void Case::judge_slowest() {
  const auto drain = drain_of(result_);
  if (!drain) return;
  const double seconds = result_.totals.seconds + drain->seconds;
  const auto [hit, values] = percentiles_where([&](Nanoseconds ns) {
    return static_cast<double>(ns) / kSecond > seconds * kRounding + kRoundingS;
  });
  if (hit.empty()) return;
  doubt(hit, fmt::format("{} in a run of {}", values, format_time(seconds * kSecond)));
}

// A closed loop has one message under way for each place in the pipeline of a connection: all that
// they took is no longer than the run, times the places (J. D. C. Little, A Proof for the Queuing
// Formula L = lambda W, 1961).
void Case::judge_under_way() {
  const auto pipeline = number_of(result_, "pipeline");
  const auto drain = drain_of(result_);
  if (result_.pacing || !pipeline || !drain || is_one_way(result_)) return;
  const double seconds = result_.totals.seconds + drain->seconds;
  const double places = *pipeline * static_cast<double>(result_.totals.connections);
  const double took_s = latency_.mean() * static_cast<double>(latency_.count()) / kSecond;
  if (took_s <= places * (seconds * kRounding + kRoundingS)) return;
  doubt(all_but_cost(),
        fmt::format("messages took {} in all, with {:.0f} under way at most for {}",
                    format_time(took_s * kSecond), places, format_time(seconds * kSecond)));
}

Judgement judge_bounds(const RunResult& result) { return Case(result).judge_bounds(); }

}  // namespace wiremark::report
