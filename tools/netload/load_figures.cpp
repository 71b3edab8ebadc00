// What a load that is over counted, as figures of its result.
#include "netload/load_figures.h"

#include <algorithm>

#include "base/units.h"

namespace wiremark::tools {

namespace {

// Whether the run lasted as long as was asked for.
bool ran_its_time(const CountedLoad& load) {
  return load.plan.duration > 0 && load.ended_at >= load.measure_from + load.plan.duration;
}

// Whether the run lasted until the last of the messages that were asked for was answered: not where
// none was.
bool ran_its_messages(const CountedLoad& load) {
  return !ran_its_time(load) && load.plan.requests > 0 &&
         load.tally.sum(&load::Counts::planned) >= load.plan.own_requests() &&
         load.tally.sum(&load::Counts::answered) > 0;
}

// What a thread counted of the time that the rate covers.
load::TimeSum::Time covered(const load::TimeSum& sum, const load::Counts& counts,
                            const CountedLoad& load) {
  return ran_its_messages(load) ? sum.until(counts.last_answer_ns.load(std::memory_order_relaxed))
                                : sum.all();
}

void add_outcome(report::RunResult& result, const CountedLoad& load) {
  const LoadTally& tally = load.tally;
  report::Outcome outcome = report::remade({.planned = tally.sum(&load::Counts::planned),
                                            .sent = tally.sum(&load::Counts::sent),
                                            .answered = tally.sum(&load::Counts::answered)});
  // What comes after the books have forgotten its message counts as late, were it answered or not.
  outcome.late = std::min(tally.sum(&load::Counts::late), outcome.lost);
  if (!load.datagrams) outcome.repeated = tally.sum(&load::Counts::repeated);
  result.outcome = outcome;
}

void add_connections(report::RunResult& result, const CountedLoad& load) {
  report::Totals& totals = result.totals;
  totals.connections_asked = load.plan.own_connections();
  const std::uint64_t again = load.tally.sum(&load::Counts::opened_again);
  totals.connections = load.tally.sum(&load::Counts::connected) - again;
  if (!load.datagrams) totals.opened_again = again;
}

// The rate is that of the time that was asked for, however long the last answers took. Where only
// messages were asked for, it is theirs until the last answer.
void add_rate(report::RunResult& result, const CountedLoad& load) {
  const LoadTally& tally = load.tally;
  report::Totals& totals = result.totals;
  Nanoseconds last_answer = 0;
  for (const auto& counts : tally)
    last_answer = std::max(last_answer, counts->last_answer_ns.load(std::memory_order_relaxed));
  totals.messages = tally.sum(&load::Counts::in_time);
  totals.bytes_in = tally.sum(&load::Counts::bytes_in);
  totals.bytes_out = tally.sum(&load::Counts::bytes_out);
  if (ran_its_time(load)) {
    const Nanoseconds asked_end = load.measure_from + load.plan.duration;
    totals.seconds = static_cast<double>(load.plan.duration) / kSecond;
    totals.drain = report::Drain{.seconds = seconds_between(asked_end, last_answer),
                                 .messages = tally.sum(&load::Counts::drained)};
    return;
  }
  totals.seconds =
      seconds_between(load.measure_from, ran_its_messages(load) ? last_answer : load.ended_at);
}

void add_latencies(report::RunResult& result, const CountedLoad& load) {
  const LoadTally& tally = load.tally;
  const bool open_loop = load.plan.open_loop();
  const report::Outcome& outcome = *result.outcome;
  const std::uint64_t unanswered = outcome.planned - outcome.answered;
  const bool from_send = load.plan.timed_from_send || !open_loop;
  const char* const from = from_send ? "send" : "schedule";
  result.latency = report::summarize(
      tally.merged(from_send && open_loop ? &load::Counts::service : &load::Counts::response), from,
      load.percentiles, unanswered);
  if (!load.datagrams)
    result.connect =
        report::summarize(tally.merged(&load::Counts::connect), "connect", load.percentiles);
  result.least = report::summarize(tally.merged(&load::Counts::least), from, load.percentiles);
  if (!open_loop) return;
  result.service = report::summarize(tally.merged(&load::Counts::service), "send", load.percentiles,
                                     outcome.lost);
  result.lateness =
      report::summarize(tally.merged(&load::Counts::lateness), "schedule", load.percentiles);
  result.pacing = report::Pacing{.behind = tally.sum(&load::Counts::behind),
                                 .overdue = tally.sum(&load::Counts::overdue)};
}

// Whether its loops kept to their work.
void add_loop(report::RunResult& result, const CountedLoad& load) {
  load::TimeSum::Time held_up;
  Nanoseconds given_up = 0;
  for (const auto& counts : load.tally) {
    const load::TimeSum::Time its = covered(counts->held_up, *counts, load);
    held_up.sum += its.sum;
    held_up.longest = std::max(held_up.longest, its.longest);
    given_up = std::max(given_up, counts->given_up_ns.load());
  }
  result.loop = report::Loop{.gap_max = held_up.longest,
                             .held_up_s = static_cast<double>(held_up.sum) / kSecond};
  if (given_up > 0) result.loop->given_up_s = static_cast<double>(given_up) / kSecond;
}

void add_delivery(report::RunResult& result, const CountedLoad& load) {
  const LoadTally& tally = load.tally;
  result.delivery = report::Delivery{.reordered = tally.sum(&load::Counts::reordered),
                                     .duplicated = tally.sum(&load::Counts::duplicated),
                                     .wrong = tally.sum(&load::Counts::wrong)};
  if (load.plan.open_loop()) return;
  Nanoseconds waited = 0;
  for (const auto& counts : tally) waited += covered(counts->lost_wait, *counts, load).sum;
  result.delivery->lost_wait_s =
      static_cast<double>(waited) / kSecond / static_cast<double>(load.plan.pipeline);
}

}  // namespace

double seconds_between(Nanoseconds from, Nanoseconds to) {
  return to > from ? static_cast<double>(to - from) / kSecond : 0;
}

void add_figures(report::RunResult& result, const CountedLoad& load) {
  add_outcome(result, load);
  add_connections(result, load);
  add_rate(result, load);
  add_latencies(result, load);
  add_loop(result, load);
  if (load.datagrams) add_delivery(result, load);
}

}  // namespace wiremark::tools
