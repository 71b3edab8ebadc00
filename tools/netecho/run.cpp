// One run of netecho: its threads' counts, and the result they add up to.
#include "netecho/run.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/units.h"
#include "printing.h"
#include "realtime.h"
#include "report.h"

namespace wiremark::tools {

namespace {

// Why connections ended, in the words of a result.
std::string name_of_end(int error) {
  if (error == net::kEndedIdle) return "idle for --idle-timeout";
  if (error == net::kEndedForMemory) return "held most of --max-memory";
  return std::strerror(error);
}

// A failed accept keeps clients waiting, and some may give up, so the run is not what was asked
// for.
void add_accept_errors(report::RunResult& result, const net::ReactorStats& stats) {
  const std::uint64_t by_limit = stats.no_descriptors.get();
  const std::uint64_t others = stats.accept_errors.get() - by_limit;
  if (others > 0)
    report::add_count(result.totals.errors,
                      "accept: refused by the system (files, memory or a filter)", others);
  if (by_limit == 0) return;
  report::add_count(result.totals.errors, "accept: over the limit of open files", by_limit);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  result.warnings.push_back(
      "clients waited to be accepted, for 100 ms each of " + std::to_string(by_limit) +
      " times, because " + std::to_string(limit.rlim_cur) +
      " files may be open; raise 'ulimit -Hn', or close those over N with --max-connections N");
}

}  // namespace

void EchoRun::start(net::Backend backend, std::size_t threads, Nanoseconds interval) {
  backend_ = backend;
  segments_.emplace(threads);
  for (std::size_t i = 0; i < threads; ++i) counts_.push_back(std::make_unique<EchoCounts>());
  for (std::size_t i = 0; gaps_ && i < std::min(threads, SharedGaps::kThreadsMax); ++i)
    counts_[i]->gaps.count_in(gaps_->all()[i]);
  started_at_ = std::chrono::system_clock::now();
  first_ = sample();
  if (interval > 0) segments_->schedule(first_.at + interval, interval);
  if (auto machine = measure::machine_usage()) machine_ = *machine;
  throttling_ = measure::throttling_of(::getpid());
}

report::Snapshot EchoRun::sample() const {
  report::Snapshot sample;
  sample.at = now_ns();
  sample.cpu = measure::cpu_of_this_process();
  sample.packets = segments_->packets();
  if (const auto memory = measure::memory_of_process()) sample.rss_bytes = memory->resident_bytes;
  for (const auto& counts : counts_) {
    sample.connections += counts->opened.get() - counts->closed.get();
    sample.messages += counts->messages.get();
    sample.bytes_in += counts->bytes_in.get();
    sample.latency.merge(counts->service);
  }
  sample.bytes_out = sample.bytes_in;
  return sample;
}

void EchoRun::watch(const EchoOptions& options, const net::Stop& stop, Signals& signals) {
  const Nanoseconds end = options.time.duration > 0 ? first_.at + options.time.duration : kNever;
  const Nanoseconds step = options.time.interval;
  Nanoseconds next_line = step > 0 ? first_.at + step : kNever;
  report::Snapshot last = first_;
  while (!stop.requested() && printed() && now_ns() < end) {
    sleep_until(stop, std::min(end, next_line));
    const bool snapshot = signals.take_snapshot_request();
    const bool line = now_ns() >= next_line;
    if (!snapshot && !line) continue;
    if (line) segments_->await_round();
    report::Snapshot current = sample();
    if (!line) current.packets.reset();  // Segments are counted only for printed lines.
    const report::Interval interval = report::between(last, current, first_.at);
    if (snapshot || options.time.told) print_interval(interval, options.output);
    if (!line) continue;
    intervals_.push_back(interval);
    last = current;
    next_line += step;
  }
  take_wait();
}

// While the workers are there to be asked; all of them began after start().
void EchoRun::take_wait() {
  const auto threads = measure::run_delays_of_process(::getpid());
  if (threads)
    wait_ = wait_of(measure::delay_between(*threads, {}, 0).delay,
                    measure::throttling_of(::getpid()), throttling_);
}

void EchoRun::keep(const StageCounts& counts) {
  stages_ = {report::summarize(counts.tick, "walk"), report::summarize_bytes(counts.found),
             report::summarize_bytes(counts.left)};
}

report::RunResult EchoRun::result(const EchoOptions& options,
                                  const std::vector<std::string>& arguments) {
  const report::Snapshot last = sample();
  report::RunResult result = new_result("netecho", arguments, started_at_);
  result.role = report::Role::server;
  std::string listen;
  for (const std::string& address : options.listen) listen += (listen.empty() ? "" : " ") + address;
  result.config = {
      {"listen", listen},
      {"threads", std::to_string(options.threads.threads)},
      {"cpus", format_cpus(options.threads.cpus)},
      {"backlog", std::to_string(options.backlog)},
      {"max-connections", std::to_string(options.max_connections)},
      {"max-memory", std::to_string(options.max_memory)},
      {"idle-timeout", options.idle_timeout > 0 ? format_duration(options.idle_timeout) : "none"},
      {"format", options.protocol.format},
      {"model", options.stages.staged ? "staged" : "loop"},
      {"max-frame", std::to_string(options.protocol.limits.frame_size)},
  };
  if (options.stages.staged) {
    result.config.emplace_back("tick", format_duration(options.stages.tick));
    result.config.emplace_back("ring-size", std::to_string(options.stages.ring_size));
  }
  add_config(result, options.backend);
  net::ReactorStats stats;
  std::uint64_t datagrams_dropped = 0;
  for (const auto& counts : counts_) {
    result.totals.connections += counts->opened.get();
    for (const auto& [error, count] : counts->closed_by_error) {
      report::add_count(result.totals.errors, name_of_end(error), count);
    }
    for (const auto& [name, count] : counts->refused)
      report::add_count(result.totals.errors, name, count);
    if (!counts->first_refusal.empty() && result.warnings.empty())
      result.warnings.push_back("first malformed message: " + counts->first_refusal);
    stats += counts->reactor;
    datagrams_dropped += counts->datagrams_dropped;
  }
  if (stats.refused.get() > 0)
    report::add_count(result.totals.errors, "over --max-connections", stats.refused.get());
  add_accept_errors(result, stats);
  if (stats.datagrams_refused.get() > 0) {
    report::add_count(result.totals.errors, "datagrams whose answers might go round for ever",
                      stats.datagrams_refused.get());
  }
  result.path =
      path_of(options.backend.backend, backend_, counts_.front()->path, stats, last.messages);
  if (options.backend.realtime) result.path.evidence.push_back(realtime_note());
  result.totals.messages = last.messages;
  result.totals.bytes_in = last.bytes_in;
  result.totals.bytes_out = stats.bytes_out.get();
  result.totals.packets = last.packets;
  if (options.has_udp()) {
    result.totals.datagrams = report::Datagrams{
        .in = stats.datagrams_in.get(),
        .out = stats.datagrams_out.get(),
        .unsent = stats.datagrams_unsent.get(),
        .dropped = datagrams_dropped,
    };
  }
  result.totals.seconds = static_cast<double>(last.at - first_.at) / kSecond;
  result.latency = report::summarize(last.latency, "wake");
  const std::size_t threads = stages_ ? Staged::kThreads : options.threads.threads;
  result.cpu = report::share_of(last.cpu - first_.cpu, static_cast<unsigned>(threads));
  result.wait = wait_;
  result.stages = stages_;
  if (stages_)
    result.path.evidence.emplace_back(
        "receiving only; sending is sendmsg(2), with epoll for full sockets");
  if (const auto now = measure::machine_usage(); now && machine_)
    result.machine = report::share_of(*now - *machine_);
  result.intervals = std::move(intervals_);
  return result;
}

}  // namespace wiremark::tools
