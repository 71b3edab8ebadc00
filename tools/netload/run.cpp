// One run of a load against one target: from the first connection to the result.
#include "netload/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/mix.h"
#include "base/units.h"
#include "load/exchange/exchanges.h"
#include "load/load.h"
#include "measure/core_distance.h"
#include "measure/quantity.h"
#include "net/reactor.h"
#include "net/workers.h"
#include "netload/follower.h"
#include "netload/launcher.h"
#include "netload/load_result.h"
#include "netload/planning.h"
#include "netload/silence.h"
#include "netload/tls_port.h"
#include "netload/worker_counts.h"
#include "printing.h"
#include "realtime.h"
#include "segment_tally.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

/// Wakes who waits for a flag, at its end or before.
struct LetGo {
  std::atomic<bool>& flag;

  void operator()() const {
    flag = true;
    flag.notify_all();
  }
  ~LetGo() { (*this)(); }
};

/// Owned by the control thread; each worker writes the counts of its own index.
class Run {
 public:
  Run(const LoadOptions& options, net::Backend backend, const Target& target, load::Plan plan,
      std::unique_ptr<load::ExchangePlan> exchanges)
      : options_(options),
        backend_(backend),
        target_(target),
        plan_(std::move(plan)),
        exchanges_(std::move(exchanges)),
        tally_(plan_.threads),
        segments_(plan_.threads),
        reactors_(plan_.threads),
        costs_(target_),
        watch_(options_, {plan_, tally_, segments_, reactors_, costs_, target_.gaps.get()}) {
    gate_.running = plan_.threads;
  }

  Result<report::RunResult> execute(const std::vector<std::string>& arguments,
                                    const net::Stop& stop, Signals& signals);
  std::string hdr_log(const report::RunResult& result) const { return watch_.hdr_log(result); }

 private:
  Result<> work(std::size_t index, const std::function<void()>& ready);
  void connect(const net::Stop& stop);
  Result<std::optional<Nanoseconds>> agreed_start(const net::Stop& stop) const;
  Result<> require_all_connected() const;
  std::string start_it_first() const;
  bool asks_for_tls(const net::Stop& stop) const;
  std::string why_unanswered(const report::RunResult& outcome, const net::Stop& stop) const;

  const LoadOptions& options_;
  net::Backend backend_;
  Target target_;
  load::Plan plan_;
  std::unique_ptr<load::ExchangePlan> exchanges_;
  load::StartGate gate_;
  LoadTally tally_;
  SegmentTallies segments_;
  std::vector<WorkerCounts> reactors_;
  CostWatch costs_;
  std::chrono::system_clock::time_point started_at_ = std::chrono::system_clock::now();
  Follower watch_;
  std::atomic<bool> sampled_{false};  // The last sample was taken.
  bool all_connected_ = false;
  bool connect_timed_out_ = false;
};

Result<report::RunResult> Run::execute(const std::vector<std::string>& arguments,
                                       const net::Stop& stop, Signals& signals) {
  const std::size_t descriptors = plan_.own_connections() + own_descriptors(plan_.threads);
  if (auto allowed = net::require_descriptors(descriptors); !allowed)
    return std::unexpected(allowed.error());
  auto ports = plan_.sources.require_ports(plan_.target, plan_.own_connections());
  if (!ports) return std::unexpected(ports.error());
  const bool beside_us = !target_.pids.empty();
  const Nanoseconds distance_before = beside_us ? measure::measure_core_distance() : 0;
  CostRecord costs{.begun = costs_.spent(),
                   .connections_before = costs_.connections(),
                   .datagrams_before = costs_.datagrams()};
  const Nanoseconds begun = now_ns();
  net::Workers workers(plan_.threads, options_.threads.cpus, gate_.over,
                       [this](std::size_t index, const auto& ready) { return work(index, ready); });
  const LetGo let_go{sampled_};  // Also where we return before it.
  if (auto ready = workers.wait_ready(); !ready) return std::unexpected(ready.error());
  connect(stop);
  costs.open = all_connected_ ? costs_.spent_when_open() : costs_.spent_at_rest();
  const auto agreed = agreed_start(stop);
  if (agreed && all_connected_) watch_.follow(*agreed, gate_, stop, signals);
  gate_.over.request();
  if (agreed && all_connected_) {
    costs.connections_after = costs_.connections();
    costs.served_by_others = costs_.served_by_others(costs.connections_after);
    costs.datagrams_after = costs_.datagrams();
    costs.seconds = static_cast<double>(now_ns() - begun) / kSecond;
  }
  let_go();
  if (auto ended = workers.join(); !ended) return std::unexpected(ended.error());
  if (!agreed) return std::unexpected(agreed.error());
  if (gate_.nobody_listens && !stop.requested()) {
    const std::string where = target_.address.to_string();
    return failed(fmt::format("nobody listens on {}: the datagrams are refused (ICMP port "
                              "unreachable); {}",
                              where, start_it_first()),
                  {}, 0);
  }
  if (!all_connected_ && !stop.requested()) {
    if (auto connected = require_all_connected(); !connected)
      return std::unexpected(connected.error());
  }
  watch_.finish();
  costs.closed = costs_.spent_at_rest();
  report::RunResult outcome =
      load_result({options_, plan_, *exchanges_, backend_, target_, tally_, started_at_,
                   watch_.measure_from(), watch_.first(), watch_.end(), watch_.last(), costs},
                  arguments);
  outcome.intervals = watch_.intervals();
  if (beside_us) outcome.core_distance = {distance_before, measure::measure_core_distance()};
  outcome.interrupted = stop.requested() || !printed();
  if (outcome.interrupted) return outcome;
  if (std::string why = why_unanswered(outcome, stop); !why.empty())
    outcome.warnings.push_back(std::move(why));
  return outcome;
}

Result<> Run::work(std::size_t index, const std::function<void()>& ready) {
  if (options_.backend.realtime) {
    if (auto may = become_realtime(); !may) return may;
  }
  net::ReactorOptions how = options_.backend.reactor;
  // No limit: the pipeline limits what is unsent. A client that stopped reading until its bytes
  // have left would wait for ever for a server that stops reading until its answers have left.
  how.output_limit = SIZE_MAX;
  how.heartbeat = net::kHeartbeat;
  const auto drive = [&](auto& reactor) -> Result<> {
    load::Counts& counts = tally_[index];
    const auto exchange = exchanges_->exchange(plan_.part_of(plan_.connections, index));
    load::Load load(reactor, *exchange, plan_, index, gate_, counts);
    SegmentCounting counting(reactor, load, segments_[index]);
    reactors_[index].began(reactor.stats());
    ready();
    auto ran = reactor.run(counting, gate_.over);
    segments_[index].count(reactor);
    reactors_[index].ended();
    sampled_.wait(false);  // Closing the connections is no part of what is measured.
    counts.path = reactor.describe();
    if constexpr (requires { reactor.datagrams_dropped(); })
      counts.datagrams_dropped = reactor.datagrams_dropped();
    return ran;
  };
  return over_udp(options_) ? net::with_datagrams(backend_, how, drive)
                            : net::with_streams(backend_, how, drive);
}

// Waits until every connection is open, one has failed, or none has opened for the timeout: a full
// backlog drops SYNs, and the kernel repeats them for two minutes (tcp(7)).
void Run::connect(const net::Stop& stop) {
  const bool progress = wants_progress(options_.output.progress, options_.output.quiet);
  Nanoseconds next_line = now_ns() + kSecond;
  Nanoseconds patience = plan_.timeout > 0 ? plan_.timeout : kNever;
  // A UDP socket waits for nobody, and its timeout is for answers; but AF_XDP asks for a neighbour.
  if (over_udp(options_)) patience = std::max(patience, 5 * kSecond);
  if (plan_.timeout > 0 && plan_.connect_rate_hz > 0)
    patience += static_cast<Nanoseconds>(kSecond / plan_.connect_rate_hz);
  Nanoseconds last_opened = now_ns();
  std::uint64_t before = 0;
  while (!stop.requested() && !gate_.over.requested()) {
    const std::uint64_t connected = tally_.sum(&load::Counts::connected);
    if (std::exchange(before, connected) != connected) last_opened = now_ns();
    connect_timed_out_ = now_ns() - last_opened > patience;
    all_connected_ = connected == plan_.own_connections();
    if (all_connected_ || connect_timed_out_ || tally_.sum(&load::Counts::failed) > 0) break;
    if (progress && now_ns() >= next_line) {
      draw_progress(fmt::format("connecting: {} of {}", connected, plan_.own_connections()));
      next_line += kSecond;
    }
    sleep_until(stop, gate_.over, now_ns() + kMillisecond);
  }
  if (progress) wipe_progress();
  if (!all_connected_) return;
  segments_.schedule(now_ns(), 0);  // Segments of connecting, counted before the load starts.
  segments_.await_round();
}

// When --start-at or a launcher says that the first message is sent, if they do.
Result<std::optional<Nanoseconds>> Run::agreed_start(const net::Stop& stop) const {
  constexpr Nanoseconds kLead = load::StartGate::kLead;
  double start_at = options_.start_at;
  const bool launched = options_.start_fd >= 0 && all_connected_;
  if (launched) {
    const auto told = await_start(options_.start_fd, stop, kLead);
    if (!told) return std::unexpected(told.error());
    start_at = *told;
  }
  if (start_at == 0) return std::nullopt;
  const double left_s = start_at - clock_of_day();
  if (!launched && left_s * kSecond < kLead) return open_too_late(-left_s);
  return now_ns() + static_cast<Nanoseconds>(static_cast<std::int64_t>(left_s * kSecond));
}

// What to do where nobody listens.
std::string Run::start_it_first() const {
  const std::string first = "start the server first";
  if (load::is_custom(options_.exchange)) return first;
  return first + ": netecho " + target_.address.to_string();
}

// Whether the port wants TLS: it is asked, once, where the run has seen nothing else that tells.
bool Run::asks_for_tls(const net::Stop& stop) const {
  constexpr Nanoseconds kPatience = 5 * kSecond;  // Where --timeout has no end.
  return !options_.target.empty() && !target_.address.is_unix() &&
         speaks_tls(target_.address, plan_.sources.of(0),
                    plan_.timeout > 0 ? plan_.timeout : kPatience, stop);
}

// Why no request was answered as it should be, from what came and what did not.
std::string Run::why_unanswered(const report::RunResult& outcome, const net::Stop& stop) const {
  if (over_udp(options_)) return {};
  // So do web servers answer whose port wants TLS, if they answer to plain text at all.
  const auto& kinds = outcome.answers;
  const bool unwanted = !outcome.totals.errors.empty();
  if (unwanted && kinds && kinds->size() == 1 && kinds->front().first == "400")
    return asks_for_tls(stop) ? kSpeaksTls : "";
  if (outcome.outcome->answered > 0 || watch_.last().reactor.bytes_in.get() > 0) return {};
  Silence silence{.timeout = plan_.timeout, .asked = exchanges_->unanswered()};
  for (const auto& [kind, count] : outcome.totals.errors) {
    if (kind == load::kNoReply) silence.waited += count;
    const bool reset = kind == std::strerror(ECONNRESET) || kind == std::strerror(EPIPE);
    if (kind == load::kClosed || kind == load::kUntaken || reset) silence.closed += count;
  }
  const bool unread = outcome.totals.bytes_out < kTlsHead * outcome.outcome->sent;
  silence.speaks_tls = (silence.closed > 0 || unread) && asks_for_tls(stop);
  return describe(silence);
}

Result<> Run::require_all_connected() const {
  std::string why, arrived;
  for (const auto& counts : tally_) {
    for (const auto& [kind, count] : counts->errors.of_load()) why = kind;
    if (!counts->wrong_reply.empty()) arrived = counts->wrong_reply;
  }
  std::string text = fmt::format(
      "{} of {} to {} opened", measure::format_count(tally_.sum(&load::Counts::connected)),
      measure::format_counted(plan_.own_connections(), "connection"), target_.address.to_string());
  if (!why.empty()) text += "; " + why;
  if (!arrived.empty()) text += ": " + arrived;
  if (why.ends_with("refused") || why.ends_with("No such file or directory"))
    text += " (" + start_it_first() + ")";
  if (why.ends_with("unreachable")) {
    text += target_.address.is_loopback() ? " (is the loopback interface down? 'ip link set lo up')"
                                          : " (this machine has no route to it; see 'ip route')";
  }
  if (why.empty() && connect_timed_out_) {
    const bool greets =
        tally_.sum(&load::Counts::established) > tally_.sum(&load::Counts::connected);
    text += fmt::format("; no other within the timeout of {} ({})", format_duration(plan_.timeout),
                        greets ? "does the server speak first, and does it end as --greeting says?"
                               : "does the server accept? --connect-rate spares its backlog");
  }
  return failed(text, {}, 0);
}

}  // namespace

Result<report::RunResult> run_load(const LoadOptions& options, net::Backend backend,
                                   const Target& target, const std::vector<std::string>& arguments,
                                   const net::Stop& stop, Signals& signals, std::string* hdr_log) {
  // A number for this run, so that datagrams of another are not taken for its answers.
  const auto clock = static_cast<std::uint64_t>(now_ns());
  const std::uint64_t run = over_udp(options) ? mix(mix(clock) + std::uint64_t(::getpid())) | 1 : 0;
  auto exchanges = load::plan_exchange(options.exchange, run);
  if (!exchanges) return std::unexpected(exchanges.error());
  auto plan = plan_load(options, target.address);
  if (!plan) return std::unexpected(plan.error());
  Run one(options, backend, target, std::move(*plan), std::move(*exchanges));
  auto result = one.execute(arguments, stop, signals);
  if (hdr_log && result) *hdr_log = one.hdr_log(*result);
  return result;
}

ExitCode exit_code(const report::RunResult& result, const LoadOptions& options) {
  if (result.interrupted) return kInterrupted;
  for (const report::Check& check : result.checks) {
    if (!check.passed) return kCheckFailed;
  }
  if (options.strict && !(result.verdict && result.verdict->valid())) return kCheckFailed;
  const bool failed = result.totals.errors_sum() > options.errors_max || result.latency.count == 0;
  return failed ? kTooManyErrors : kDone;
}

}  // namespace wiremark::tools
