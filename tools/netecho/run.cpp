// One run of netecho: its options, its threads' counts, and the result they add up to.
#include "netecho/run.h"

#include <algorithm>
#include <cstring>

#include "report.h"

namespace wiremark::tools {

void EchoRun::start(net::Backend backend, std::size_t threads) {
  backend_ = backend;
  for (std::size_t i = 0; i < threads; ++i) counts_.push_back(std::make_unique<EchoCounts>());
  started_at_ = std::chrono::system_clock::now();
  first_ = sample();
  if (auto machine = measure::machine_usage()) machine_ = *machine;
}

EchoRun::Sample EchoRun::sample() const {
  Sample sample;
  sample.at = now_ns();
  sample.cpu = measure::cpu_of_this_process();
  for (const auto& counts : counts_) {
    sample.connections += counts->opened.get() - counts->closed.get();
    sample.messages += counts->messages.get();
    sample.bytes += counts->bytes_in.get();
    sample.service.merge(counts->service);
  }
  return sample;
}

measure::Interval EchoRun::between(const Sample& earlier, const Sample& later) const {
  measure::Histogram service = later.service;
  service.subtract(earlier.service);
  const measure::CpuUsage cpu = later.cpu - earlier.cpu;
  measure::Interval interval;
  interval.start_s = static_cast<double>(earlier.at - first_.at) / kSecond;
  interval.seconds = static_cast<double>(later.at - earlier.at) / kSecond;
  interval.connections = later.connections;
  interval.messages = later.messages - earlier.messages;
  interval.bytes_in = later.bytes - earlier.bytes;
  interval.bytes_out = interval.bytes_in;
  interval.p50_ns = service.percentile(50);
  interval.p99_ns = service.percentile(99);
  interval.p999_ns = service.percentile(99.9);
  interval.max_ns = service.max();
  interval.user_s = cpu.user_s();
  interval.sys_s = cpu.sys_s();
  return interval;
}

void EchoRun::watch(const EchoOptions& options, const net::Stop& stop, Signals& signals) {
  const Nanoseconds end = options.time.duration > 0 ? first_.at + options.time.duration : kNever;
  const Nanoseconds step = options.time.interval;
  Nanoseconds next_line = step > 0 ? first_.at + step : kNever;
  Sample last = first_;
  while (!stop.requested() && now_ns() < end) {
    sleep_until(stop, std::min(end, next_line));
    const bool snapshot = signals.take_snapshot_request();
    if (!snapshot && now_ns() < next_line) continue;
    const Sample current = sample();
    const measure::Interval interval = between(last, current);
    print_interval(interval, options.output);
    if (current.at < next_line) continue;
    intervals_.push_back(interval);
    last = current;
    next_line += step;
  }
}

measure::RunResult EchoRun::result(const EchoOptions& options,
                                   const std::vector<std::string>& arguments) {
  const Sample last = sample();
  measure::RunResult result = new_result("netecho", arguments, started_at_);
  result.role = measure::Role::server;
  std::string listen;
  for (const std::string& address : options.listen) listen += (listen.empty() ? "" : " ") + address;
  result.config = {
      {"listen", listen},
      {"threads", std::to_string(options.threads.threads)},
      {"cpus", format_cpus(options.threads.cpus)},
      {"backlog", std::to_string(options.backlog)},
      {"max-connections", std::to_string(options.max_connections)},
      {"format", "raw"},
  };
  add_config(result, options.backend);
  net::ReactorStats stats;
  for (const auto& counts : counts_) {
    result.totals.connections += counts->opened.get();
    for (const auto& [error, count] : counts->closed_by_error) {
      measure::add_error(result.totals.errors, std::strerror(error), count);
    }
    stats += counts->reactor;
  }
  if (stats.refused.get() > 0)
    measure::add_error(result.totals.errors, "over --max-connections", stats.refused.get());
  result.path =
      path_of(options.backend.backend, backend_, counts_.front()->path, stats, last.messages);
  result.totals.messages = last.messages;
  result.totals.bytes_in = last.bytes;
  result.totals.bytes_out = stats.bytes_out.get();
  result.totals.seconds = static_cast<double>(last.at - first_.at) / kSecond;
  result.latency = measure::summarize(last.service, "wake");
  result.cpu = measure::share_of(last.cpu - first_.cpu, options.threads.threads);
  if (const auto now = measure::machine_usage(); now && machine_)
    result.machine = measure::share_of(*now - *machine_);
  result.intervals = std::move(intervals_);
  return result;
}

}  // namespace wiremark::tools
