// The result of one run of a tool: a plain struct that every exporter reads. What each figure means
// stands in its table, result_fields.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/cpu_usage.h"
#include "measure/machine.h"
#include "report/latency_summary.h"

namespace wiremark::report {

/// What a JSON document made from this struct calls itself.
inline constexpr const char* kResultSchema = "wiremark.result/3";
/// What a line of an interval calls itself.
inline constexpr const char* kIntervalSchema = "wiremark.interval/1";

/// Processor time of one end during the measured part of a run.
struct CpuShare {
  double user_s = 0;
  double sys_s = 0;
  unsigned threads = 1;  ///< Those that do the work: 100 % of each is all there is.
  // Of netload: what the other parts of its run took, of which the above has nothing.
  std::optional<double> opening_s{};
  std::optional<double> warmup_s{};
  std::optional<double> drain_s{};
  std::optional<double> closing_s{};

  double total_s() const noexcept { return user_s + sys_s; }
  /// In percent of one core, so up to 100 times threads; 0 when no time has passed.
  double pct(double seconds) const noexcept { return seconds > 0 ? 100 * total_s() / seconds : 0; }
};

CpuShare share_of(const measure::CpuUsage& spent, unsigned threads);

/// Percent of all processors of the machine, 0 to 100.
struct MachineShare {
  double busy_pct = 0;
  double softirq_pct = 0;
  double steal_pct = 0;
};

MachineShare share_of(const measure::MachineUsage& spent);

/// How often each kind of error happened, in the order first met.
using ErrorCounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// What was asked for by name, what runs, and how we know.
struct Path {
  std::string requested;  ///< "auto", "epoll", "uring".
  std::string active;
  std::vector<std::string> evidence;  ///< Such as "multishot receive: active".
};

/// TCP segments.
struct Packets {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t data_in = 0;
  std::uint64_t data_out = 0;

  friend Packets operator-(const Packets& later, const Packets& earlier) noexcept;
};

/// Datagrams at our own sockets.
struct Datagrams {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t unsent = 0;
  std::uint64_t dropped = 0;
};

/// What was answered after the time that was asked for; it is in no rate.
struct Drain {
  double seconds = 0;
  std::uint64_t messages = 0;
};

struct Totals {
  std::uint64_t connections = 0;
  std::uint64_t connections_asked = 0;  ///< 0 where the other side decides.
  std::uint64_t messages = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<Packets> packets;                     ///< None where nothing is TCP.
  std::optional<Datagrams> datagrams = std::nullopt;  ///< None where nothing is UDP.
  double seconds = 0;
  std::optional<Drain> drain = std::nullopt;  ///< None where no time was asked for, or reached.
  ErrorCounts errors;
  std::uint64_t errors_allowed = 0;

  double qps() const noexcept { return seconds > 0 ? static_cast<double>(messages) / seconds : 0; }
  std::uint64_t errors_sum() const noexcept;
};

/// What became of the messages of the measured part.
struct Outcome {
  std::uint64_t planned = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t lost = 0;
  std::uint64_t late = 0;
  std::uint64_t unsent = 0;
};

/// Open loop: how far the generator itself was behind its plan.
struct Pacing {
  std::uint64_t behind = 0;  ///< Over kBehindNs.
  std::uint64_t overdue = 0;
};

/// Whether the loops of a generator kept listening to their sockets in the measured part.
struct Loop {
  Nanoseconds gap_max = 0;
  double held_up_s = 0;
  std::optional<double> given_up_s = std::nullopt;
};

/// The same of a netecho that netload started.
struct ServerLoop {
  Nanoseconds gap_max = 0;
  double held_up_s = 0;
  double away_s = 0;  ///< Of those: its threads did not run, so that it is not the server's work.
};

/// How a cgroup stopped its threads for its quota.
struct Throttled {
  std::string cgroup;
  std::uint64_t times = 0;
  double seconds = 0;
};

/// How the ready threads of one end had no processor in the measured part.
struct ProcessorWait {
  double run_delay_s = 0;
  std::uint64_t slices = 0;
  std::optional<Throttled> throttled = std::nullopt;
};

/// Connections to the server that are not this generator's, from before it opened its own until it
/// had closed them.
struct OtherClients {
  std::uint64_t connections = 0;
  std::uint64_t ended = 0;     ///< Of those: what they carried is not known.
  std::uint64_t segments = 0;  ///< With data, both ways, of the others.
  double seconds = 0;
};

/// What else came of the messages of a generator that sends datagrams.
struct Delivery {
  std::uint64_t reordered = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t wrong = 0;
  std::optional<double> lost_wait_s = std::nullopt;
};

/// How many bytes waited, over many looks.
struct ByteSummary {
  std::uint64_t looks = 0;
  double mean = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;
};

/// The outcome with what follows from the other counts: unsent and lost.
Outcome remade(Outcome outcome);

ByteSummary summarize_bytes(const measure::Histogram& histogram);

/// What a server that works in ticks had to do in each of them. A look is one tick's at one
/// connection.
struct Stages {
  LatencySummary tick;  ///< Time of a walk over all connections.
  ByteSummary found;    ///< In a connection's input buffer when the walk comes to it.
  ByteSummary left;     ///< Of these, what the walk leaves: part of a message, or no room.
};

/// A bucket of measure::CoarseHistogram.
struct CoarseBucket {
  std::size_t index = 0;
  std::uint64_t count = 0;
};

/// A part of a run, as the live line shows it.
struct Interval {
  double start_s = 0;  ///< Since the start of the run.
  double seconds = 0;
  std::uint64_t connections = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<Packets> packets;  ///< None where nothing is TCP, and between two live lines.
  std::uint64_t errors = 0;
  // None where nothing was answered in it.
  std::optional<Nanoseconds> p50_ns;
  std::optional<Nanoseconds> p99_ns;
  std::optional<Nanoseconds> p999_ns;
  std::optional<Nanoseconds> max_ns;
  /// Of a generator: how long the message has waited that waits longest, since its planned time.
  std::optional<Nanoseconds> oldest_ns{};
  double user_s = 0;
  double sys_s = 0;
  std::uint64_t rss_bytes = 0;  ///< At its end.
  /// Of the latency, none of them empty. Documents of netload 0.1.0 and before lack them.
  std::optional<std::vector<CoarseBucket>> buckets = std::nullopt;

  double qps() const noexcept { return seconds > 0 ? static_cast<double>(messages) / seconds : 0; }
};

/// An interval as a document of its own.
struct IntervalLine {
  Interval interval;
};

/// What one of several generators did in a sum of runs at once.
struct Generator {
  std::string name;  ///< Its file, or its rank.
  std::string host;  ///< Where it ran; empty where nobody said.
  std::string lost;  ///< Why there is nothing of it in the sum; empty where there is.
  std::string verdict;
  std::uint64_t messages = 0;
  std::optional<double> began_s = std::nullopt;  ///< After the first of them.
  std::optional<double> us_cpu_per_message = std::nullopt;
  /// How far the clock of its machine is ahead of that of the first; began_s is without it.
  std::optional<double> clock_ahead_us = std::nullopt;
};

/// A promise of the run that was tested: "verify", "slo p99<2ms".
struct Check {
  std::string name;
  bool passed = false;
  std::string detail;
};

/// A figure that is judged by itself: "rate", "p99", "cost".
struct FigureVerdict {
  std::string name;
  std::vector<std::string> reasons;  ///< Why it is not to be trusted; some of the verdict's.

  bool valid() const noexcept { return reasons.empty(); }
};

/// Which figures are those of the server under the load that was asked for; see verdict.h.
struct Verdict {
  std::vector<std::string> reasons;  ///< Why not all of them are.
  /// Documents of netload 0.1.0 and before lack them: there a reason is one against all.
  std::optional<std::vector<FigureVerdict>> figures = std::nullopt;

  bool valid() const noexcept { return reasons.empty(); }
  /// Whether this figure is to be trusted.
  bool valid_for(std::string_view figure) const noexcept;
  /// The names of those that are; none where the figures are not told apart.
  std::vector<std::string> valid_figures() const;
  /// The level, and behind "VALID FOR" the figures that are valid.
  std::string words() const;
  /// "VALID", "VALID FOR" where some of the figures are valid, or "INVALID".
  std::string_view level() const noexcept;
};

/// Which end of the wire a tool is; a generator must not be the bottleneck, a server may.
enum class Role { generator, server, bench };

/// What measure_core_distance() said on both sides of a run, in ns; 0 where it could not.
struct CoreDistance {
  Nanoseconds before = 0;
  Nanoseconds after = 0;
};

struct RunResult {
  std::string tool;
  std::string version;
  Role role = Role::generator;
  std::vector<std::string> argv;
  std::string started;  ///< RFC 3339, UTC: "2026-11-21T02:18:25Z".
  /// When the measured part began, in seconds since 1970.
  std::optional<double> measured_from;
  measure::Machine host;
  std::vector<std::pair<std::string, std::string>> config;  ///< Options as the user writes them.
  Path path;
  Totals totals;
  LatencySummary latency;                  ///< What the tool is asked about.
  std::optional<LatencySummary> service;   ///< A server's own part: readable to answered.
  std::optional<LatencySummary> least;     ///< Latency without the generator's own lateness.
  std::optional<LatencySummary> lateness;  ///< How far behind its plan each message was sent.
  std::optional<LatencySummary> connect;   ///< connect(2) until established.
  CpuShare cpu;                            ///< This process.
  bool spins = false;                      ///< It waits by spinning: how busy it was says nothing.
  std::optional<CpuShare> server_cpu;      ///< The other end, when it runs on this machine.
  std::optional<std::string> server;       ///< The processes that server_cpu is of.
  std::optional<std::string> server_unknown;  ///< Why there is no server_cpu.
  MachineShare machine;
  std::optional<CoreDistance> core_distance;  ///< When both ends run on this machine.
  std::uint64_t rss_bytes = 0;                ///< This process, at its highest.
  std::optional<std::uint64_t> server_rss_bytes;
  std::optional<Outcome> outcome;             ///< Of a generator.
  std::optional<Pacing> pacing;               ///< Of a generator with a rate.
  std::optional<Loop> loop;                   ///< Of a generator.
  std::optional<ProcessorWait> wait;          ///< Of this process.
  std::optional<ServerLoop> server_loop;      ///< Of a netecho that netload started.
  std::optional<ProcessorWait> server_wait;   ///< The other end, when it runs on this machine.
  std::optional<OtherClients> other_clients;  ///< Of a TCP server that runs on this machine.
  std::optional<Delivery> delivery;           ///< Of a generator over UDP.
  std::optional<Stages> stages;
  std::vector<Interval> intervals;
  std::optional<std::vector<Generator>> generators;  ///< Of a sum of generators that ran at once.
  std::vector<Check> checks;
  std::vector<std::string> warnings;  ///< All doubts, the reasons of the verdict first.
  std::optional<Verdict> verdict;     ///< Of a generator's run.
  bool interrupted = false;

  /// Processor time of the server in percent of a core.
  std::optional<double> server_pct() const noexcept;
  /// Processor time per message in us; 0 without messages.
  double us_cpu_per_message() const noexcept { return us_per_message(cpu); }
  std::optional<double> server_us_cpu_per_message() const noexcept;

 private:
  double us_per_message(const CpuShare& share) const noexcept;
};

/// What is wrong with a result as a whole, with the place in it: intervals that overlap. Empty
/// where nothing is.
std::string contradiction(const RunResult& result);

/// `moment` in UTC as RFC 3339 writes it, to the second.
std::string format_moment(std::chrono::system_clock::time_point moment);

/// The moment that format_moment() wrote; the epoch where `text` is none.
std::chrono::system_clock::time_point parse_moment(const std::string& text);

/// Adds `count` to `kind`, which is appended when new.
void add_error(ErrorCounts& errors, const std::string& kind, std::uint64_t count = 1);

}  // namespace wiremark::report
