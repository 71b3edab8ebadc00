// Lines, snapshots and progress of a run that others make.
#include "netload/run_watch.h"

#include <fmt/format.h>

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

}  // namespace

Result<> RunWatch::open_log() {
  if (options_.latency.hdr_log.empty()) return {};
  auto log = HdrLog::open(options_.latency.hdr_log, run_.tally, run_.plan.open_loop());
  if (!log) return std::unexpected(log.error());
  log_.emplace(std::move(*log));
  return {};
}

Result<> RunWatch::finish() {
  last_.seen.packets = run_.segments.packets();
  if (!log_) return {};
  log_->log_until(last_.seen.at);
  return log_->close();
}

void RunWatch::follow(Nanoseconds start, load::StartGate& gate, const net::Stop& stop,
                      Signals& signals) {
  const Nanoseconds step = options_.time.interval;
  const Nanoseconds measure_from = start + run_.plan.warmup;
  const Nanoseconds first_count = run_.plan.warmup > 0 ? measure_from : measure_from + step;
  if (run_.plan.warmup > 0 || step > 0) run_.segments.schedule(first_count, step);
  const auto while_connecting = run_.segments.packets();  // A short run may be over before we wake.
  gate.start_ns.store(start, std::memory_order_release);
  // A request for a snapshot ends a sleep, and what it asks for is not there yet.
  while (!stop.requested() && !gate.over.requested() && now_ns() < measure_from)
    sleep_until(stop, gate.over, measure_from);
  Nanoseconds owed = signals.take_snapshot_request() ? measure_from + kFirstSnapshot : kNever;
  first_ = sample();
  if (log_) log_->begin(first_.seen.at, std::chrono::system_clock::now());
  if (run_.plan.warmup > 0) run_.segments.await_round();
  first_.seen.packets = run_.plan.warmup > 0 ? run_.segments.first_packets() : while_connecting;
  last_ = first_;
  const bool progress =
      step == 0 && wants_progress(options_.output.progress, options_.output.quiet);
  const Nanoseconds end =
      options_.grace == kNever ? kNever : measure_from + run_.plan.duration + options_.grace;
  Nanoseconds next_line = step > 0 ? first_.seen.at + step : kNever;
  Nanoseconds next_progress = progress ? first_.seen.at + kSecond : kNever;
  while (!stop.requested() && !gate.over.requested() && printed() && now_ns() < end) {
    sleep_until(stop, gate.over, std::min({next_line, next_progress, owed, end}));
    if (now_ns() >= next_progress) {
      show_progress();
      next_progress += kSecond;
    }
    const bool snapshot = signals.take_snapshot_request() || now_ns() >= owed;
    if (snapshot) owed = kNever;
    const bool line = now_ns() >= next_line;
    if (!snapshot && !line) continue;
    if (line) run_.segments.await_round();
    LoadSample now = sample();
    if (!line) now.seen.packets.reset();  // They are counted for lines only.
    const auto interval = report::between(last_.seen, now.seen, first_.seen.at);
    if (progress) wipe_progress();
    print_interval(interval, options_.output);
    if (!line) continue;
    intervals_.push_back(interval);
    if (log_) log_->log_until(now.seen.at);
    last_ = now;
    next_line += step;
  }
  last_ = sample();
  if (progress) wipe_progress();
}

void RunWatch::show_progress() const {
  const double seconds = static_cast<double>(now_ns() - first_.seen.at) / kSecond;
  const auto answered = run_.tally.sum(&load::Counts::answered);
  const std::string whole =
      run_.plan.duration > 0 ? " of " + measure::format_time(run_.plan.duration) : std::string();
  draw_progress(fmt::format("{:.0f} s{}, {}, {} qps", seconds, whole,
                            measure::format_counted(answered, "message"),
                            measure::format_rate(static_cast<double>(answered) / seconds)));
}

LoadSample RunWatch::sample() const {
  net::ReactorStats stats;
  for (const WatchedReactor& reactor : run_.reactors) stats += reactor.stats();
  LoadSample sample = take_sample(run_.tally, run_.target, stats);
  sample.seen.packets = run_.segments.packets();
  return sample;
}

}  // namespace wiremark::tools
