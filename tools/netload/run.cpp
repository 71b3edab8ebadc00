// One run of a load against one target: from the first connection to the result.
#include "netload/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/units.h"
#include "measure/cpu_usage.h"
#include "net/reactor.h"
#include "net/workers.h"
#include "netload/load.h"
#include "report.h"

namespace wiremark::tools {

namespace {

LoadPlan make_plan(const LoadOptions& options, const net::Address& target) {
  LoadPlan plan;
  plan.target = target;
  plan.socket = options.backend.socket;
  plan.connections = options.connections;
  plan.threads = std::min<std::size_t>(options.threads.threads, options.connections);
  plan.rate_hz =
      options.total_rate_hz > 0 ? options.total_rate_hz / options.connections : options.rate_hz;
  plan.pipeline = options.pipeline > 0 ? options.pipeline : plan.open_loop() ? 16 : 1;
  plan.requests = static_cast<std::uint64_t>(options.requests);
  plan.duration = options.time.duration;
  plan.warmup = options.warmup;
  plan.timeout = options.timeout;
  plan.connect_rate_hz = options.connect_rate_hz;
  plan.verify = !options.no_verify;
  return plan;
}

// What both ends and all threads have counted and spent up to a moment.
struct Sample {
  Nanoseconds at = now_ns();
  std::uint64_t answered = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t failed = 0;
  measure::Histogram response;
  measure::CpuUsage cpu = measure::cpu_of_this_process();
  std::optional<measure::CpuUsage> server_cpu;
  std::optional<measure::MachineUsage> machine;
};

/// Owned by the control thread; each worker writes the counts of its own index.
class Run {
 public:
  Run(const LoadOptions& options, net::Backend backend, const Target& target)
      : options_(options),
        backend_(backend),
        target_(target),
        plan_(make_plan(options, target.address)),
        pattern_(options.seed, options.size.min, options.size.max) {
    for (std::size_t i = 0; i < plan_.threads; ++i)
      counts_.push_back(std::make_unique<LoadCounts>());
    gate_.running = plan_.threads;
  }

  Result<measure::RunResult> execute(const std::vector<std::string>& arguments,
                                     const net::Stop& stop, Signals& signals);

 private:
  Result<> work(std::size_t index, const std::function<void()>& ready);
  void connect(const net::Stop& stop);
  void watch(const net::Stop& stop, Signals& signals);
  Sample sample() const;
  measure::Interval between(const Sample& earlier, const Sample& later) const;
  Result<> require_all_connected() const;
  measure::RunResult result(const std::vector<std::string>& arguments) const;

  std::uint64_t sum(Counter LoadCounts::* counter) const {
    std::uint64_t total = 0;
    for (const auto& counts : counts_) total += ((*counts).*counter).get();
    return total;
  }
  measure::Histogram merged(measure::Histogram LoadCounts::* histogram) const {
    measure::Histogram all;
    for (const auto& counts : counts_) all.merge((*counts).*histogram);
    return all;
  }

  const LoadOptions& options_;
  net::Backend backend_;
  Target target_;
  LoadPlan plan_;
  Pattern pattern_;
  StartGate gate_;
  std::vector<std::unique_ptr<LoadCounts>> counts_;
  std::chrono::system_clock::time_point started_at_ = std::chrono::system_clock::now();
  Sample first_;
  Sample last_;
  std::vector<measure::Interval> intervals_;
  bool all_connected_ = false;
  bool connect_timed_out_ = false;
};

Result<measure::RunResult> Run::execute(const std::vector<std::string>& arguments,
                                        const net::Stop& stop, Signals& signals) {
  // The reactors need a few descriptors beside the connections: rings, epoll, standard streams.
  if (auto allowed = net::require_descriptors(plan_.connections + 16 + 4 * plan_.threads);
      !allowed) {
    return std::unexpected(allowed.error());
  }
  net::Workers workers(plan_.threads, options_.threads.cpus, gate_.over,
                       [this](std::size_t index, const auto& ready) { return work(index, ready); });
  if (auto ready = workers.wait_ready(); !ready) return std::unexpected(ready.error());
  connect(stop);
  if (all_connected_) watch(stop, signals);
  gate_.over.request();
  if (auto ended = workers.join(); !ended) return std::unexpected(ended.error());
  if (!all_connected_ && !stop.requested()) {
    if (auto connected = require_all_connected(); !connected)
      return std::unexpected(connected.error());
  }
  measure::RunResult outcome = result(arguments);
  outcome.interrupted = stop.requested();
  return outcome;
}

Result<> Run::work(std::size_t index, const std::function<void()>& ready) {
  return net::with_reactor(backend_, options_.backend.reactor, [&](auto& reactor) -> Result<> {
    LoadCounts& counts = *counts_[index];
    RawTraffic traffic(pattern_, plan_.verify);
    Load load(reactor, traffic, plan_, index, gate_, counts);
    ready();
    reactor.run(load, gate_.over);
    counts.reactor = reactor.stats();
    counts.path = reactor.describe();
    return {};
  });
}

// Waits until every connection is open, one has failed, or none has opened for the timeout:
// a full backlog drops what comes, and the kernel tries again for two minutes (tcp(7)).
void Run::connect(const net::Stop& stop) {
  const bool progress = !options_.output.quiet && ::isatty(STDERR_FILENO);
  Nanoseconds next_line = now_ns() + kSecond;
  Nanoseconds patience = plan_.timeout > 0 ? plan_.timeout : kNever;
  if (plan_.timeout > 0 && plan_.connect_rate_hz > 0)
    patience += static_cast<Nanoseconds>(kSecond / plan_.connect_rate_hz);
  Nanoseconds last_opened = now_ns();
  std::uint64_t before = 0;
  while (!stop.requested() && !gate_.over.requested()) {
    const std::uint64_t connected = sum(&LoadCounts::connected);
    if (std::exchange(before, connected) != connected) last_opened = now_ns();
    connect_timed_out_ = now_ns() - last_opened > patience;
    all_connected_ = connected == plan_.connections;
    if (all_connected_ || connect_timed_out_ || sum(&LoadCounts::failed) > 0) break;
    if (progress && now_ns() >= next_line) {
      fmt::print(stderr, "\rconnecting: {} of {} ", connected, plan_.connections);
      next_line += kSecond;
    }
    sleep_until(stop, gate_.over, now_ns() + kMillisecond);
  }
  if (progress) fmt::print(stderr, "\r\033[K");
}

// Opens the gate and follows the run to its end.
void Run::watch(const net::Stop& stop, Signals& signals) {
  constexpr Nanoseconds kLead =
      2 * kMillisecond;  // For every thread to see the gate before the start.
  const Nanoseconds measure_from = now_ns() + kLead + plan_.warmup;
  gate_.start_ns.store(measure_from - plan_.warmup, std::memory_order_release);
  sleep_until(stop, gate_.over, measure_from);
  first_ = last_ = sample();
  const Nanoseconds step = options_.time.interval;
  Nanoseconds next_line = step > 0 ? first_.at + step : kNever;
  while (!stop.requested() && !gate_.over.requested()) {
    sleep_until(stop, gate_.over, next_line);
    const bool snapshot = signals.take_snapshot_request();
    if (!snapshot && now_ns() < next_line) continue;
    const Sample now = sample();
    print_interval(between(last_, now), options_.output);
    if (now.at < next_line) continue;
    intervals_.push_back(between(last_, now));
    last_ = now;
    next_line += step;
  }
  last_ = sample();
}

Sample Run::sample() const {
  Sample sample;
  sample.answered = sum(&LoadCounts::answered);
  sample.bytes_in = sum(&LoadCounts::bytes_in);
  sample.bytes_out = sum(&LoadCounts::bytes_out);
  sample.failed = sum(&LoadCounts::failed);
  sample.response = merged(&LoadCounts::response);
  if (target_.pid) {
    if (const auto cpu = measure::cpu_of_process(*target_.pid)) sample.server_cpu = *cpu;
  }
  if (const auto machine = measure::machine_usage()) sample.machine = *machine;
  return sample;
}

measure::Interval Run::between(const Sample& earlier, const Sample& later) const {
  measure::Histogram response = later.response;
  response.subtract(earlier.response);
  const measure::CpuUsage cpu = later.cpu - earlier.cpu;
  measure::Interval interval;
  interval.start_s = static_cast<double>(earlier.at - first_.at) / kSecond;
  interval.seconds = static_cast<double>(later.at - earlier.at) / kSecond;
  interval.connections = plan_.connections - later.failed;
  interval.messages = later.answered - earlier.answered;
  interval.bytes_in = later.bytes_in - earlier.bytes_in;
  interval.bytes_out = later.bytes_out - earlier.bytes_out;
  interval.errors = later.failed - earlier.failed;
  interval.p50_ns = response.percentile(50);
  interval.p99_ns = response.percentile(99);
  interval.p999_ns = response.percentile(99.9);
  interval.max_ns = response.max();
  interval.user_s = cpu.user_s();
  interval.sys_s = cpu.sys_s();
  return interval;
}

Result<> Run::require_all_connected() const {
  std::string why;
  for (const auto& counts : counts_) {
    for (const auto& [kind, count] : counts->errors) why = kind;
  }
  std::string text = fmt::format("{} of {} connections to {} opened", sum(&LoadCounts::connected),
                                 plan_.connections, target_.address.to_string());
  if (!why.empty()) text += "; " + why;
  if (why.ends_with("refused") || why.ends_with("No such file or directory")) {
    text += fmt::format(" (start the server first: netecho {})", target_.address.to_string());
  }
  if (why.empty() && connect_timed_out_) {
    text += fmt::format(
        "; no other within the timeout of {} (does the server accept? "
        "--connect-rate spares its backlog)",
        format_duration(plan_.timeout));
  }
  return failed(text, {}, 0);
}

measure::RunResult Run::result(const std::vector<std::string>& arguments) const {
  measure::RunResult result = new_result("netload", arguments, started_at_);
  const auto on_off = [](bool on) { return on ? "on" : "off"; };
  result.config = {
      {"target", target_.address.to_string()},
      {"connections", std::to_string(plan_.connections)},
      {"loop", plan_.open_loop() ? "open" : "closed"},
      {"rate", fmt::format("{:g}", plan_.rate_hz)},
      {"pipeline", std::to_string(plan_.pipeline)},
      {"requests", std::to_string(plan_.requests)},
      {"duration", format_duration(plan_.duration)},
      {"warmup", format_duration(plan_.warmup)},
      {"size", options_.size.min == options_.size.max
                   ? std::to_string(options_.size.min)
                   : fmt::format("{}-{}", options_.size.min, options_.size.max)},
      {"verify", on_off(plan_.verify)},
      {"threads", std::to_string(plan_.threads)},
      {"cpus", format_cpus(options_.threads.cpus)},
      {"connect-rate", fmt::format("{:g}", plan_.connect_rate_hz)},
      {"timeout", format_duration(plan_.timeout)},
      {"seed", std::to_string(options_.seed)},
  };
  add_config(result, options_.backend);

  net::ReactorStats stats;
  Nanoseconds last_answer = first_.at;
  for (const auto& counts : counts_) {
    for (const auto& [kind, count] : counts->errors)
      measure::add_error(result.totals.errors, kind, count);
    stats += counts->reactor;
    last_answer = std::max(last_answer, counts->last_answer_ns.load(std::memory_order_relaxed));
    if (counts->wrong_reply)
      result.checks = {{"verify", false, "a reply differed from what was sent"}};
  }
  if (plan_.verify && result.checks.empty()) {
    result.checks = {{"verify", true, "every byte of every reply compared with what was sent"}};
  }
  const std::uint64_t answered = sum(&LoadCounts::answered);
  result.path = path_of(options_.backend.backend, backend_, counts_.front()->path, stats, answered);
  if (const std::uint64_t held = sum(&LoadCounts::held); held > 0) {
    result.path.evidence.push_back(
        fmt::format("{} messages waited for room in the pipeline of their connection", held));
  }
  result.totals.connections_asked = plan_.connections;
  result.totals.connections = sum(&LoadCounts::connected);
  result.totals.messages = answered;
  result.totals.bytes_in = sum(&LoadCounts::bytes_in);
  result.totals.bytes_out = sum(&LoadCounts::bytes_out);
  result.totals.seconds = static_cast<double>(last_answer - first_.at) / kSecond;
  const bool from_send = options_.latency_from_send || !plan_.open_loop();
  result.latency = measure::summarize(
      merged(from_send && plan_.open_loop() ? &LoadCounts::service : &LoadCounts::response),
      from_send ? "send" : "schedule");
  result.connect = measure::summarize(merged(&LoadCounts::connect), "connect");
  if (plan_.open_loop()) {
    result.service = measure::summarize(merged(&LoadCounts::service), "send");
    result.lateness = measure::summarize(merged(&LoadCounts::lateness), "schedule");
    const std::uint64_t sent = sum(&LoadCounts::sent);
    result.plan =
        measure::Plan{.planned = sum(&LoadCounts::planned),
                      .sent = sent,
                      .answered = answered,
                      .lost = sent - answered,
                      .late = merged(&LoadCounts::lateness).count_above(measure::kLateNs)};
  }
  result.cpu = measure::share_of(last_.cpu - first_.cpu, static_cast<unsigned>(plan_.threads));
  if (first_.server_cpu && last_.server_cpu) {
    result.server_cpu = measure::share_of(*last_.server_cpu - *first_.server_cpu, 1);
  }
  if (target_.pid) {
    if (const auto memory = measure::memory_of_process(*target_.pid))
      result.server_rss_bytes = memory->resident_bytes_max;
  }
  if (first_.machine && last_.machine)
    result.machine = measure::share_of(*last_.machine - *first_.machine);
  result.intervals = intervals_;
  return result;
}

}  // namespace

std::vector<std::string> server_arguments(const LoadOptions& options, net::Backend backend) {
  const net::ReactorOptions& reactor = options.backend.reactor;
  const net::SocketOptions& socket = options.backend.socket;
  std::vector<std::string> arguments = {
      "--backend",     std::string(net::to_string(backend)),
      "--wait",        reactor.wait.to_string(),
      "--buffers",     std::to_string(reactor.buffers),
      "--buffer-size", std::to_string(reactor.buffer_size),
      "--read-size",   std::to_string(reactor.read_size),
  };
  const auto add = [&arguments](const char* flag, const std::string& value) {
    arguments.insert(arguments.end(), {flag, value});
  };
  if (socket.send_buffer > 0) add("--sndbuf", std::to_string(socket.send_buffer));
  if (socket.receive_buffer > 0) add("--rcvbuf", std::to_string(socket.receive_buffer));
  if (!options.server_cpus.empty()) add("--cpus", format_cpus(options.server_cpus));
  return arguments;
}

Result<measure::RunResult> run_load(const LoadOptions& options, net::Backend backend,
                                    const Target& target, const std::vector<std::string>& arguments,
                                    const net::Stop& stop, Signals& signals) {
  return Run(options, backend, target).execute(arguments, stop, signals);
}

ExitCode exit_code(const measure::RunResult& result, const LoadOptions& options) {
  if (result.interrupted) return kInterrupted;
  for (const measure::Check& check : result.checks) {
    if (!check.passed) return kCheckFailed;
  }
  return result.totals.errors_sum() > options.errors_max ? kTooManyErrors : kDone;
}

}  // namespace wiremark::tools
