// The result of one run of a tool: a plain struct that every exporter reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/cpu_usage.h"
#include "measure/histogram.h"
#include "measure/machine.h"

namespace wiremark::report {

/// What a JSON document made from this struct calls itself.
inline constexpr const char* kResultSchema = "wiremark.result/2";
/// What a line of an interval calls itself.
inline constexpr const char* kIntervalSchema = "wiremark.interval/1";

/// The percentiles of a summary where nobody asked for others.
inline constexpr double kPercentiles[] = {50, 90, 99, 99.9, 99.99, 100};

/// A value of a histogram: `percent` of all values are `ns` or less.
struct Percentile {
  double percent = 0;
  Nanoseconds ns = 0;
};

/// A histogram summed up, together with its buckets, so that results can be merged without loss.
struct LatencySummary {
  std::uint64_t count = 0;
  Nanoseconds min = 0;
  Nanoseconds max = 0;
  double mean = 0;
  double stddev = 0;
  std::uint64_t clamped = 0;  ///< Values over an hour, counted as an hour.
  /// Messages without an answer; a percentile counts them as later than any that had one.
  std::optional<std::uint64_t> unanswered{};
  std::vector<Percentile> percentiles;
  std::string from;  ///< Where the clock was started: "schedule", "send", "readable", "connect".
  std::vector<std::pair<std::size_t, std::uint64_t>> buckets;  ///< Index and count, none empty.
};

/// Values a percentile over 99.9 must have beyond it to be worth a line.
inline constexpr std::uint64_t kTailValuesMin = 10;

/// Sums `histogram` up. 100 as a percentile is the exact maximum's bucket. One between 99.9 and 100
/// is left out while fewer than kTailValuesMin values lie beyond it, and any that falls on one of
/// the `unanswered`.
LatencySummary summarize(const measure::Histogram& histogram, std::string from,
                         std::span<const double> percentiles = kPercentiles,
                         std::optional<std::uint64_t> unanswered = std::nullopt);

/// The value that `percent` of all messages have or less; none where that is a message without an
/// answer.
std::optional<Nanoseconds> percentile_of(const measure::Histogram& histogram, double percent,
                                         std::optional<std::uint64_t> unanswered);

/// The histogram a summary was made from, equal in every bucket and both extremes. Errors: an index
/// beyond the layout.
Result<measure::Histogram> restore(const LatencySummary& summary);

/// `summary` with all that follows from its buckets and extremes.
LatencySummary remade(const LatencySummary& summary);

/// Processor time of one end during the measured part of a run.
struct CpuShare {
  double user_s = 0;
  double sys_s = 0;
  unsigned threads = 1;  ///< Those that do the work: 100 % of each is all there is.

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

/// TCP segments of our connections as the kernel counts them, acknowledgements and retransmissions
/// among them; `data` is the part that carried bytes.
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
  std::uint64_t unsent = 0;   ///< The kernel did not take them.
  std::uint64_t dropped = 0;  ///< They came, and the kernel found no room for them in the socket.
};

struct Totals {
  std::uint64_t connections = 0;
  std::uint64_t connections_asked = 0;  ///< 0 where the other side decides.
  std::uint64_t messages = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<Packets> packets;                     ///< None where nothing is TCP.
  std::optional<Datagrams> datagrams = std::nullopt;  ///< None where nothing is UDP.
  double seconds = 0;                                 ///< Of the measured part, warm-up left out.
  ErrorCounts errors;
  std::uint64_t errors_allowed = 0;  ///< As the user said: up to so many are no reason for doubt.

  double qps() const noexcept { return seconds > 0 ? static_cast<double>(messages) / seconds : 0; }
  std::uint64_t errors_sum() const noexcept;
};

/// What became of the messages of the measured part: planned = sent + unsent, sent = answered +
/// lost.
struct Outcome {
  std::uint64_t planned = 0;  ///< In a closed loop a message is planned when it is sent.
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;  ///< Whole, right, and before the timeout.
  std::uint64_t lost = 0;      ///< Sent, and not answered in time.
  std::uint64_t late = 0;      ///< The part of lost whose answer came after the timeout.
  std::uint64_t unsent = 0;    ///< Planned, and never sent.
};

/// Open loop: how far the generator itself was behind its plan.
struct Pacing {
  std::uint64_t behind = 0;  ///< Messages sent over kLateNs after their planned time.
  /// Messages that the generator came to when that time had passed. The others that are behind were
  /// held up by their connection, which still waited for the server.
  std::uint64_t overdue = 0;
};

/// How a generator's loops kept to their work in the measured part. A gap is a time in which one
/// did not listen to its sockets: its process was stopped or had no processor, or a turn was long.
struct Loop {
  Nanoseconds gap_max = 0;
  double held_up_s = 0;  ///< All gaps of 1 ms or more, of all threads.
};

/// What else came of the messages of a generator that sends datagrams.
struct Delivery {
  std::uint64_t reordered = 0;   ///< Answers that came behind one to a later message (RFC 4737).
  std::uint64_t duplicated = 0;  ///< Answers to what had been answered.
  std::uint64_t wrong = 0;       ///< Datagrams that answer nothing of what was sent.
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
  Nanoseconds p50_ns = 0;
  Nanoseconds p99_ns = 0;
  Nanoseconds p999_ns = 0;
  Nanoseconds max_ns = 0;
  double user_s = 0;
  double sys_s = 0;
  std::uint64_t rss_bytes = 0;  ///< At its end.

  double qps() const noexcept { return seconds > 0 ? static_cast<double>(messages) / seconds : 0; }
};

/// An interval as a document of its own.
struct IntervalLine {
  Interval interval;
};

/// A promise of the run that was tested: "verify", "slo p99<2ms".
struct Check {
  std::string name;
  bool passed = false;
  std::string detail;
};

/// Whether the figures are those of the server under the load that was asked for.
struct Verdict {
  std::vector<std::string> reasons;  ///< Why not; see verdict.h.

  bool valid() const noexcept { return reasons.empty(); }
};

/// Which end of the wire a tool is; a generator must not be the bottleneck, a server may.
enum class Role { generator, server, bench };

/// What measure_core_distance() said on both sides of a run, in ns; 0 where it could not.
struct CoreDistance {
  Nanoseconds before = 0;
  Nanoseconds after = 0;
};

/// What codecbench measured of one row, in ns of one operation.
struct CodecFigures {
  std::uint64_t operations = 0;
  std::uint64_t batches = 0;
  std::uint64_t batch_operations = 0;
  double ns_min = 0;
  double ns_p50 = 0;
  double ns_p99 = 0;
  double spread_pct = 0;
  std::optional<std::vector<double>> repeats_ns;
  double qps = 0;
  double mb_per_s = 0;
  double wire_bytes = 0;
  std::optional<double> allocations;  ///< None where they cannot be counted.
  double cpu_user_ns = 0;
  double cpu_sys_ns = 0;
  std::optional<double> instructions;
  std::optional<double> cycles;
};

/// A row of codecbench.
struct CodecCell {
  std::string key;
  std::string workload;
  std::string shape;
  std::uint64_t size = 0;
  std::string format;
  std::string implementation;
  std::string op;
  std::string access;
  std::string result;  ///< "view" or "copy".
  bool validated = true;
  std::string object;                   ///< What it works with.
  std::optional<std::string> refused;   ///< Why its check failed.
  std::optional<CodecFigures> figures;  ///< None where it was refused.
};

struct RunResult {
  std::string tool;
  std::string version;
  Role role = Role::generator;
  std::vector<std::string> argv;
  std::string started;  ///< RFC 3339, UTC: "2026-11-21T02:18:25Z".
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
  MachineShare machine;
  std::optional<CoreDistance> core_distance;  ///< When both ends run on this machine.
  std::uint64_t rss_bytes = 0;                ///< This process, at its highest.
  std::optional<std::uint64_t> server_rss_bytes;
  std::optional<Outcome> outcome;    ///< Of a generator.
  std::optional<Pacing> pacing;      ///< Of a generator with a rate.
  std::optional<Loop> loop;          ///< Of a generator.
  std::optional<Delivery> delivery;  ///< Of a generator over UDP.
  std::optional<Stages> stages;
  std::vector<Interval> intervals;
  std::vector<Check> checks;
  std::vector<std::string> warnings;            ///< All doubts, the reasons of the verdict first.
  std::optional<Verdict> verdict;               ///< Of a generator's run.
  std::optional<std::vector<CodecCell>> cells;  ///< Of codecbench.
  bool interrupted = false;

  /// Processor time of the server in percent of a core.
  std::optional<double> server_pct() const noexcept;
  /// Processor time per message in us; 0 without messages.
  double us_cpu_per_message() const noexcept { return us_per_message(cpu); }
  std::optional<double> server_us_cpu_per_message() const noexcept;

 private:
  double us_per_message(const CpuShare& share) const noexcept;
};

/// `moment` in UTC as RFC 3339 writes it, to the second.
std::string format_moment(std::chrono::system_clock::time_point moment);

/// The moment that format_moment() wrote; the epoch where `text` is none.
std::chrono::system_clock::time_point parse_moment(const std::string& text);

/// Adds `count` to `kind`, which is appended when new.
void add_error(ErrorCounts& errors, const std::string& kind, std::uint64_t count = 1);

}  // namespace wiremark::report
