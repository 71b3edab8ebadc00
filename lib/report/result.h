// The result of one run of a tool: a plain struct that every exporter reads. What each figure means
// stands beside it, in its fields().
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/coarse_histogram.h"
#include "measure/machine.h"
#include "report/ends.h"
#include "report/latency_summary.h"
#include "report/traffic.h"

namespace wiremark::report {

/// What a JSON document made from this struct calls itself.
inline constexpr const char* kResultSchema = "wiremark.result/3";
/// What a line of an interval calls itself.
inline constexpr const char* kIntervalSchema = "wiremark.interval/1";

/// What was asked for by name, what runs, and how we know.
struct Path {
  std::string requested;  ///< "auto", "epoll", "uring".
  std::string active;
  std::vector<std::string> evidence;  ///< Such as "multishot receive: active".

  void fields(auto& f) {
    f.table("path", "What was asked for by name, what runs, and how we know.");
    f("requested", requested, Add::join, "", {.column = "requested"});
    f("active", active, Add::join, "", {.column = "active"});
    f("evidence", evidence);
  }
};

/// A bucket of measure::CoarseHistogram.
struct CoarseBucket {
  std::size_t index = 0;
  std::uint64_t count = 0;

  void fields(auto& f) {
    f.row("coarse_bucket",
          "Index and count. Index i below 16 holds the value i; above, with e = i / 8 - 1, the 2^e "
          "values from (i - 8 e) 2^e on: 8 buckets for each power of two.");
    f("index", index, Unit::count, "", {.max = measure::CoarseHistogram::kBuckets - 1});
    f("count", count, Unit::count, "", {.min = 1});
  }
};

/// A part of a run, as the live line shows it.
struct Interval {
  double start_s = 0;  ///< Since the start of the run.
  double seconds = 0;
  std::uint64_t connections = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<Packets> packets;
  std::uint64_t errors = 0;
  // None where nothing was answered in it.
  std::optional<Nanoseconds> p50_ns;
  std::optional<Nanoseconds> p99_ns;
  std::optional<Nanoseconds> p999_ns;
  std::optional<Nanoseconds> max_ns;
  std::optional<Nanoseconds> oldest_ns{};
  double user_s = 0;
  double sys_s = 0;
  std::uint64_t rss_bytes = 0;  ///< At its end.
  std::optional<std::vector<CoarseBucket>> buckets = std::nullopt;

  double qps() const noexcept { return seconds > 0 ? static_cast<double>(messages) / seconds : 0; }

  void fields(auto& f) {
    f.table("interval", "");
    f("start_s", start_s, Unit::seconds);
    f("seconds", seconds, Unit::seconds);
    f("connections", connections, kCounted);
    f("messages", messages, kCounted);
    f.made("qps", Unit::per_second, &Interval::qps);
    f("bytes_in", bytes_in, {Unit::bytes, Add::sum});
    f("bytes_out", bytes_out, {Unit::bytes, Add::sum});
    f("packets", packets, "null where nothing is TCP.", {.null = true});
    f("errors", errors, kCounted);
    f("p50_ns", p50_ns, Unit::ns, "null where nothing was answered in it, as the next three.",
      {.most = "p99_ns", .null = true});
    f("p99_ns", p99_ns, Unit::ns, "", {.most = "p999_ns", .null = true});
    f("p999_ns", p999_ns, Unit::ns, "", {.null = true});
    f("max_ns", max_ns, {Unit::ns, Add::largest}, "", {.null = true});
    f("oldest_ns", oldest_ns, {Unit::ns, Add::largest},
      "netload: how long the message has waited at its end that waits longest, since its planned "
      "time; absent where none waits.");
    f("user_s", user_s, {Unit::seconds, Add::sum});
    f("sys_s", sys_s, {Unit::seconds, Add::sum});
    f("rss_bytes", rss_bytes, {Unit::bytes, Add::sum});
    f("buckets", buckets,
      "Every non-empty bucket of the latency, coarser than those of the whole run.");
  }
};

/// An interval as a document of its own.
struct IntervalLine {
  Interval interval;

  void fields(auto& f) {
    f.table("interval_line", "");
    f.constant("schema", kIntervalSchema);
    f("", interval);
  }
};

/// What one of several generators did in a sum of runs at once.
struct Generator {
  std::string name;
  std::string host;
  std::string lost;
  std::string verdict;
  std::uint64_t messages = 0;
  std::optional<double> began_s = std::nullopt;
  std::optional<double> us_cpu_per_message = std::nullopt;
  std::optional<double> clock_ahead_us = std::nullopt;

  void fields(auto& f) {
    f.table("generator", "A generator's part of a sum of runs at once.");
    f("name", name, "Its file, or its rank.");
    f("host", host, "Where it ran; empty where nobody said.");
    f("lost", lost, "Why nothing of it is in the sum; empty where it is.");
    f("verdict", verdict, "Its own.");
    f("messages", messages, Unit::count);
    f("began_s", began_s, Unit::seconds, "After the first of them.");
    f("us_cpu_per_message", us_cpu_per_message, Unit::us);
    f("clock_ahead_us", clock_ahead_us, Unit::us_either_way,
      "netload-mpi: how far its clock is ahead of that of rank 0; began_s is without it.");
  }
};

/// A promise of the run that was tested: "verify", "slo p99<2ms".
struct Check {
  std::string name;
  bool passed = false;
  std::string detail;

  void fields(auto& f) {
    f.table("check", "");
    f("name", name);
    f("passed", passed);
    f("detail", detail);
  }
};

/// A figure that is judged by itself: "rate", "p99", "cost".
struct FigureVerdict {
  std::string name;
  std::vector<std::string> reasons;

  bool valid() const noexcept { return reasons.empty(); }

  void fields(auto& f) {
    f.table("figure_verdict", "");
    f("name", name, "rate, a percentile such as p99.9, or cost.");
    f.made("valid", Unit::text, &FigureVerdict::valid);
    f("reasons", reasons, "Those of the verdict that doubt it.");
  }
};

/// Which figures are those of the server under the load that was asked for; see verdict.h.
struct Verdict {
  std::vector<std::string> reasons;
  // Documents of netload 0.1.0 and before lack them: there a reason is one against all.
  std::optional<std::vector<FigureVerdict>> figures = std::nullopt;

  bool valid() const noexcept { return reasons.empty(); }
  /// Whether this figure is to be trusted.
  bool valid_for(std::string_view figure) const noexcept;
  /// Why it is not: all reasons where the verdict does not tell this figure apart.
  const std::vector<std::string>& reasons_against(std::string_view figure) const noexcept;
  /// The names of those that are; none where the figures are not told apart.
  std::vector<std::string> valid_figures() const;
  /// The level, and behind "VALID FOR" the figures that are valid.
  std::string words() const;
  /// "VALID", "VALID FOR" where some of the figures are valid, or "INVALID".
  std::string_view level() const noexcept;

  void fields(auto& f) {
    f.table("verdict", "");
    f.made("valid", Unit::text, &Verdict::valid, "All figures are.");
    f.column("verdict", &Verdict::level);
    f.column("valid_for", &Verdict::valid_figures);
    f("reasons", reasons, "Why not; empty when it is valid.", {.column = "reasons"});
    f("figures", figures, "Each figure by itself: those without a reason are valid.");
  }
};

/// Which end of the wire a tool is; a generator must not be the bottleneck, a server may.
enum class Role : std::uint8_t { generator, server, bench };

constexpr std::array<const char*, 3> names_of(Of<Role>) { return {"generator", "server", "bench"}; }

struct RunResult {
  std::string tool;
  std::string version;
  Role role = Role::generator;
  std::vector<std::string> argv;
  std::string started;
  std::optional<double> measured_from;
  measure::Machine host;
  std::vector<std::pair<std::string, std::string>> config;
  Path path;
  Totals totals;
  LatencySummary latency;  ///< What the tool is asked about.
  std::optional<LatencySummary> service;
  std::optional<LatencySummary> least;
  std::optional<LatencySummary> lateness;
  std::optional<LatencySummary> connect;  ///< connect(2) until established.
  CpuShare cpu;                           ///< This process.
  bool spins = false;
  std::optional<CpuShare> server_cpu;  ///< The other end, when it runs on this machine.
  std::optional<std::string> server;
  std::optional<std::string> server_unknown;
  std::optional<UnknownParts> server_parts_unknown;  ///< None: all that there were are known.
  MachineShare machine;
  std::optional<CoreDistance> core_distance;
  std::uint64_t rss_bytes = 0;  ///< This process, at its highest.
  std::optional<std::uint64_t> server_rss_bytes;
  std::optional<Outcome> outcome;
  std::optional<KindCounts> answers;
  std::optional<Pacing> pacing;
  std::optional<Loop> loop;
  std::optional<ProcessorWait> wait;  ///< Of this process.
  std::optional<ServerLoop> server_loop;
  std::optional<ProcessorWait> server_wait;  ///< The other end, when it runs on this machine.
  std::optional<OtherClients> other_clients;
  std::optional<Delivery> delivery;
  std::optional<Stages> stages;
  std::vector<Interval> intervals;
  std::optional<std::vector<Generator>> generators;
  std::vector<Check> checks;
  std::vector<std::string> warnings;
  std::optional<Verdict> verdict;
  bool interrupted = false;

  /// What an option was set to; null where the run does not say.
  const std::string* find_option(std::string_view name) const noexcept;
  /// The same; empty where the run does not say.
  std::string option(std::string_view name) const;
  /// The warnings behind the reasons of the verdict, which stand among them first.
  std::span<const std::string> notes() const noexcept;
  /// Processor time of the server in percent of a core.
  std::optional<double> server_pct() const noexcept;
  /// Processor time per message in us: none without messages, and where none was counted, for no
  /// message costs nothing.
  std::optional<double> us_cpu_per_message() const noexcept { return us_per_message(cpu); }
  /// The same of the server; none where its processor time is unknown.
  std::optional<double> server_us_cpu_per_message() const noexcept;

  void fields(auto& f) {
    f.table("result", "");
    f.constant("schema", kResultSchema);
    f("tool", tool, "", {.column = "tool"});
    f("version", version, "", {.column = "version"});
    f("role", role, "Which end of the wire the tool is.");
    f("verdict", verdict, Add::none,
      "netload only: whether the figures are those of the server under the load that was asked "
      "for. The reasons stand in warnings too, first.",
      {.column = ""});
    f("argv", argv, Add::none);
    f("started", started, {Unit::moment, Add::least}, "RFC 3339, UTC.", {.column = "started"});
    f("measured_from", measured_from, {Unit::seconds, Add::least},
      "netload: when the measured part began, since 1970.");
    f("host", host, "", {.column = ""});
    f("config", config, Add::join,
      "Options as the user writes them, and a digest of all that is sent and expected.",
      {.column = "config"});
    f("path", path, "", {.column = ""});
    f("totals", totals, "", {.column = ""});
    f("latency_ns", latency, "", {.column = "latency_"});
    f("service_ns", service, "With a rate: from the send of a message to its whole reply.");
    f("least_ns", least,
      "netload: latency_ns without the generator's own lateness, in sending and in taking the "
      "reply, and without the messages that were not answered. Where all were, a percentile of the "
      "two that differs much is the generator's.",
      {.missed = "latency without the generator's lateness"});
    f("lateness_ns", lateness, "How far behind its plan each message was sent.");
    f("connect_ns", connect, "", {.missed = "connection times"});
    f("cpu/process", cpu, "", {.column = ""});
    f.made("cpu/process/pct", Unit::load,
           [](const RunResult& run) { return run.cpu.pct(run.totals.seconds); }, "",
           {.column = "cpu_pct"});
    f("cpu/process/spins", spins, Add::largest,
      "It waits by spinning: how busy it was says nothing.");
    f("cpu/server", server_cpu, "",
      {.column = "server_", .of_server = true, .missed = "the server's processor time"});
    f.made("cpu/server/pct", Unit::load, &RunResult::server_pct, "", {.column = "cpu_pct"});
    f("cpu/server/of", server, Add::join, "The processes that were measured.", {.column = "of"});
    f("cpu/server/unknown", server_unknown, Add::any, "Why its processor time is not known.",
      {.column = "unknown"});
    f("cpu/server/parts_unknown", server_parts_unknown, Add::none,
      "Of opening_s, warmup_s, drain_s and closing_s those that are missing though there was such "
      "a part: why they are not known.");
    f("cpu/machine", machine, "", {.column = "machine_"});
    f("core_distance_ns", core_distance, Add::none,
      "The time a cache line takes from one processor to another and back, on both sides of the "
      "run; 0 where it could not be measured. Absent where the other end is not on this machine.",
      {.column = "core_distance_ns_"});
    f.made("us_cpu_per_message", Unit::us, &RunResult::us_cpu_per_message,
           "null where there is no message or no processor time.",
           {.column = "cpu_us_per_message", .null = true});
    f.made("server_us_cpu_per_message", Unit::us, &RunResult::server_us_cpu_per_message,
           "Absent where there is no message, or the processor time is unknown or 0.",
           {.column = "server_cpu_us_per_message"});
    f("rss_bytes/process", rss_bytes, {Unit::bytes, Add::peak}, "", {.column = "rss_bytes"});
    f("rss_bytes/server", server_rss_bytes, {Unit::bytes, Add::peak}, "",
      {.column = "server_rss_bytes", .of_server = true, .missed = "the server's memory"});
    f("outcome", outcome, "netload: what became of the messages of the measured part.",
      {.column = "outcome_", .missed = "the outcome"});
    f("answers", answers, kCounted,
      "netload: the answers of the outcome by what they said, where the protocol tells: by their "
      "status of HTTP or RCODE of DNS, errors among them; reads of Redis and memcached as hit or "
      "miss.",
      {.column = "answers", .missed = "the answers by kind"});
    f("pacing", pacing, "netload with a rate: how far it was behind its own plan.",
      {.column = "pacing_", .beside = "outcome"});
    f("loop", loop, "netload: whether its loops kept to their work.",
      {.column = "loop_", .missed = "the loop's gaps"});
    f("processor_wait", wait, "", {.column = "wait_"});
    f("server_loop", server_loop, "Absent for any other server.",
      {.column = "server_loop_", .of_server = true, .missed = "the gaps of the server's loops"});
    f("server_processor_wait", server_wait, "", {.column = "server_wait_", .of_server = true});
    f("other_clients", other_clients,
      "netload: absent where the server is not on this machine, or not of TCP.",
      {.column = "other_clients_"});
    f("delivery", delivery, "netload over UDP: what else came of the messages.",
      {.column = "delivery_", .beside = "outcome"});
    f("stages", stages, Add::none, "netecho --model staged: what each tick had to do.",
      {.column = ""});
    f("intervals", intervals, Add::none);
    f("generators", generators, Add::none, "Of generators that ran at once and were added up.");
    f("checks", checks, Add::none);
    f("warnings", warnings, Add::none,
      "Every doubt about the figures, the reasons of the verdict first; empty when there is none.",
      {.column = "warnings"});
    f("interrupted", interrupted, Add::largest, "", {.column = "interrupted"});
  }

 private:
  std::optional<double> us_per_message(const CpuShare& share) const noexcept;
};

/// The reason of a figure that is none of the verdict, with its place. Empty where there is none.
std::string contradiction(const Verdict& verdict);

/// What is wrong with a result as a whole, with the place in it: a verdict on something else than a
/// generator, or intervals that overlap. Empty where nothing is.
std::string contradiction(const RunResult& result);

/// `moment` in UTC as RFC 3339 writes it, to the second.
std::string format_moment(std::chrono::system_clock::time_point moment);

/// The moment that format_moment() wrote; the epoch where `text` is none.
std::chrono::system_clock::time_point parse_moment(const std::string& text);

}  // namespace wiremark::report
