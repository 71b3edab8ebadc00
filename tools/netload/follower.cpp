// Lines, snapshots and progress of a run that others make.
#include "netload/follower.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "measure/quantity.h"
#include "printing.h"
#include "report.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

// Of the measured part, for who asked before it began.
constexpr Nanoseconds kFirstSnapshot = 100 * kMillisecond;
// For threads that have no time to say what waits longest.
constexpr Nanoseconds kTimeToSay = 100 * kMillisecond;

}  // namespace

Follower::Follower(const LoadOptions& options, const Watched& run) : options_(options), run_(run) {
  if (!options.latency.hdr_log.empty()) log_.emplace(run.tally, run.plan.open_loop());
}

void Follower::finish() {
  end_.seen.packets = run_.segments.end_packets();
  if (log_) log_->log_until(last_.seen.at);
}

// Opens the gate and takes the first sample. Where nothing is sent to warm up, that comes before
// the gate opens: the run may be over, and what it cost spent, before this thread runs again. Of a
// moment that was agreed on the workers are told first, so that none begins late for a long look.
void Follower::begin(std::optional<Nanoseconds> agreed, load::StartGate& gate,
                     const net::Stop& stop) {
  constexpr Nanoseconds kLead = load::StartGate::kLead;
  const Nanoseconds step = options_.time.interval;
  const bool warm = run_.plan.warmup > 0;
  const bool looks_first = !warm && !agreed;
  if (looks_first) first_ = sample_with_costs();
  const Nanoseconds start = agreed.value_or(now_ns() + kLead);
  measure_from_ = start + run_.plan.warmup;
  const Nanoseconds first_count = warm ? measure_from_ : step > 0 ? measure_from_ + step : kNever;
  run_.segments.schedule(first_count, step, asked_end());
  SharedGaps::Sum gaps_before;
  if (run_.server_gaps) gaps_before = run_.server_gaps->begin(measure_from_, this->asked_end());
  const auto while_connecting = run_.segments.packets();
  gate.start_ns.store(start, std::memory_order_release);
  // A request for a snapshot ends a sleep, and what it asks for is not there yet.
  const auto wait_until = [&](Nanoseconds moment) {
    while (!stop.requested() && !gate.over.requested() && now_ns() < moment)
      sleep_until(stop, gate.over, moment);
  };
  if (!looks_first) {
    wait_until(warm ? measure_from_ : start - kLead);
    first_ = sample_with_costs();
  }
  wait_until(measure_from_);
  if (!warm) first_.seen.at = std::min(measure_from_, now_ns());  // Before it where interrupted.
  first_.server_gaps = gaps_before;
  if (log_) log_->begin(first_.seen.at, std::chrono::system_clock::now());
  if (warm) run_.segments.await_round();
  first_.seen.packets = warm ? run_.segments.first_packets() : while_connecting;
  last_ = first_;
}

void Follower::follow(std::optional<Nanoseconds> agreed, load::StartGate& gate,
                      const net::Stop& stop, Signals& signals) {
  begin(agreed, gate, stop);
  const Nanoseconds step = options_.time.interval;
  Nanoseconds owed = signals.take_snapshot_request() ? measure_from_ + kFirstSnapshot : kNever;
  const bool progress = (step == 0 || !options_.time.told) &&
                        wants_progress(options_.output.progress, options_.output.quiet);
  const Nanoseconds end =
      options_.grace == kNever ? kNever : measure_from_ + run_.plan.duration + options_.grace;
  Nanoseconds asked_end = this->asked_end();
  Nanoseconds next_line = step > 0 ? first_.seen.at + step : kNever;
  Nanoseconds next_progress = progress ? first_.seen.at + kSecond : kNever;
  while (!stop.requested() && !gate.over.requested() && printed() && now_ns() < end) {
    sleep_until(stop, gate.over, std::min({next_line, next_progress, owed, end, asked_end}));
    if (now_ns() >= asked_end) {
      end_ = sample_with_costs();
      asked_end = kNever;
    }
    if (now_ns() >= next_progress) {
      show_progress();
      next_progress += kSecond;
    }
    const bool snapshot = signals.take_snapshot_request() || now_ns() >= owed;
    if (snapshot) owed = kNever;
    const bool line = now_ns() >= next_line;
    if (!snapshot && !line) continue;
    run_.tally.ask_oldest();
    if (line) run_.segments.await_round();
    const auto oldest = run_.tally.oldest_since(gate.over, kTimeToSay);
    LoadSample now = sample();
    if (oldest) now.seen.oldest = now.seen.at - std::min(now.seen.at, *oldest);
    if (!line) now.seen.packets.reset();  // They are counted for lines only.
    const auto interval = report::between(last_.seen, now.seen, first_.seen.at);
    if (progress) wipe_progress();
    if (snapshot || options_.time.told) print_interval(interval, options_.output);
    if (!line) continue;
    intervals_.push_back(interval);
    if (log_) log_->log_until(now.seen.at);
    last_ = now;
    next_line += step;
  }
  last_ = sample_with_costs();
  if (end_.seen.at == 0) {
    end_ = last_;
    if (run_.server_gaps) run_.server_gaps->end(end_.seen.at);
  }
  if (progress) wipe_progress();
}

void Follower::show_progress() const {
  const Nanoseconds now = now_ns();
  const double seconds = static_cast<double>(std::min(now, asked_end()) - measure_from_) / kSecond;
  const auto answered = run_.tally.sum(&load::Counts::in_time);
  std::string whole =
      run_.plan.duration > 0 ? " of " + measure::format_time(run_.plan.duration) : std::string();
  if (now > asked_end())
    whole += ", the last answers awaited for " + measure::format_time(now - asked_end());
  draw_progress(fmt::format("{:.0f} s{}, {}, {} qps", seconds, whole,
                            measure::format_counted(answered, "message"),
                            measure::format_rate(static_cast<double>(answered) / seconds)));
}

LoadSample Follower::sample() const {
  net::ReactorStats stats;
  for (const WorkerCounts& reactor : run_.reactors) stats += reactor.stats();
  LoadSample sample = take_sample(run_.tally, stats);
  sample.seen.packets = run_.segments.packets();
  return sample;
}

// What is only compared between both ends of the measured part.
LoadSample Follower::sample_with_costs() const {
  Spent spent = run_.costs.spent();
  return run_.costs.aside([&] {
    LoadSample sample = this->sample();
    sample.spent = std::move(spent);
    for (const WorkerCounts& reactor : run_.reactors) {
      if (const auto delay = reactor.run_delay()) sample.wait.threads.push_back(*delay);
    }
    sample.wait.throttling = measure::throttling_of(::getpid());
    const std::vector<pid_t> server = run_.costs.server_pids();
    for (const pid_t pid : server) {
      const auto threads = measure::run_delays_of_process(pid);
      if (!threads) continue;
      auto& all = sample.server_wait.threads;
      all.insert(all.end(), threads->begin(), threads->end());
    }
    if (!server.empty()) sample.server_wait.throttling = measure::throttling_of(server.front());
    return sample;
  });
}

}  // namespace wiremark::tools
