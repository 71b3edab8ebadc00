// How the two ends of a run kept up, and what they had of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/cpu_usage.h"
#include "report/latency_summary.h"

namespace wiremark::report {

/// Processor time of one end during the measured part of a run.
struct CpuShare {
  double user_s = 0;
  double sys_s = 0;
  unsigned threads = 1;  ///< Those that do the work: 100 % of each is all there is.
  std::optional<double> seconds{};
  // Of netload: what the other parts of its run took, of which the above has nothing.
  std::optional<double> opening_s{};
  std::optional<double> warmup_s{};
  std::optional<double> drain_s{};
  std::optional<double> closing_s{};

  double total_s() const noexcept { return user_s + sys_s; }
  /// In percent of one core, so up to 100 times threads; 0 when no time has passed.
  double pct(double run_seconds) const noexcept;
  /// What its threads waited, in percent of their time; 100 at most, since all threads of a server
  /// wait, and only those that work are counted.
  double waited_pct(double waited_s, double run_seconds) const noexcept;

  void fields(auto& f) {
    f.table("cpu_share", "");
    f("user_s", user_s, {Unit::seconds, Add::sum});
    f("sys_s", sys_s, {Unit::seconds, Add::sum});
    f("threads", threads, {Unit::count, Add::peak});
    f("seconds", seconds, {Unit::seconds, Add::time},
      "netload: between both looks at it, of which pct is a share. A run of a number of messages "
      "is shorter, which ends with its last answer.",
      {.column = "cpu_seconds"});
    f("opening_s", opening_s, {Unit::seconds, Add::sum},
      "netload: until all connections stood. user_s and sys_s are of the measured part, and have "
      "nothing of this and the next three; connections that were opened in the measured part are "
      "in them.");
    f("warmup_s", warmup_s, {Unit::seconds, Add::sum});
    f("drain_s", drain_s, {Unit::seconds, Add::sum},
      "After the asked time, until the last answer.");
    f("closing_s", closing_s, {Unit::seconds, Add::sum},
      "From there until all connections were closed.");
  }
};

/// A part of a run that is not the measured one.
struct PartOfRun {
  const char* field;  ///< Of CpuShare.
  const char* name;   ///< In a text.
  std::optional<double> CpuShare::* spent_s;
};

inline constexpr PartOfRun kOpening{"opening_s", "opening", &CpuShare::opening_s};
inline constexpr PartOfRun kWarmup{"warmup_s", "warm-up", &CpuShare::warmup_s};
inline constexpr PartOfRun kDrain{"drain_s", "drain", &CpuShare::drain_s};
inline constexpr PartOfRun kClosing{"closing_s", "closing", &CpuShare::closing_s};
inline constexpr PartOfRun kPartsOfRun[] = {kOpening, kWarmup, kDrain, kClosing};

/// Why parts of a run are missing, by their field.
using UnknownParts = std::vector<std::pair<std::string, std::string>>;

CpuShare share_of(const measure::CpuUsage& spent, unsigned threads);

/// Percent of all processors of the machine, 0 to 100.
struct MachineShare {
  double busy_pct = 0;
  double softirq_pct = 0;
  double steal_pct = 0;

  void fields(auto& f) {
    f.table("machine", "");
    f("busy_pct", busy_pct, {Unit::share, Add::mean});
    f("softirq_pct", softirq_pct, {Unit::share, Add::mean});
    f("steal_pct", steal_pct, {Unit::share, Add::mean});
  }
};

MachineShare share_of(const measure::MachineUsage& spent);

/// What measure_core_distance() said on both sides of a run, in ns; 0 where it could not.
struct CoreDistance {
  Nanoseconds before = 0;
  Nanoseconds after = 0;

  void fields(auto& f) {
    f.table("core_distance", "");
    f("before", before, Unit::ns);
    f("after", after, Unit::ns);
  }
};

/// Open loop: how far the generator itself was behind its plan.
struct Pacing {
  std::uint64_t behind = 0;
  std::uint64_t overdue = 0;

  void fields(auto& f) {
    f.table("pacing", "");
    f("behind", behind, kCounted, "Messages sent more than 10 ms after their planned time.");
    f("overdue", overdue, kCounted,
      "Of those: the generator itself came to them after that time. The others waited for a reply "
      "on their connection.");
  }
};

/// Whether the loops of a generator kept listening to their sockets in the measured part.
struct Loop {
  Nanoseconds gap_max = 0;
  double held_up_s = 0;
  std::optional<double> given_up_s = std::nullopt;

  void fields(auto& f) {
    f.table("loop",
            "Gaps in which the generator did not listen to its sockets, as far as they lie within "
            "the seconds: it was stopped, had no processor, or a turn was long.");
    f("gap_max_ns", gap_max, {Unit::ns, Add::largest}, "The longest.");
    f("held_up_s", held_up_s, {Unit::seconds, Add::sum}, "All of 1 ms or more, of all threads.");
    f("given_up_s", given_up_s, {Unit::seconds, Add::largest},
      "What was left of the time when it gave up, since no connection was left or could be opened "
      "for --timeout. Absent where it did not.");
  }
};

/// The same of a netecho that netload started.
struct ServerLoop {
  Nanoseconds gap_max = 0;
  double held_up_s = 0;
  double away_s = 0;

  void fields(auto& f) {
    f.table("server_loop",
            "Gaps in which a netecho that netload started did not listen to its sockets.");
    f("gap_max_ns", gap_max, {Unit::ns, Add::largest}, "The longest.");
    f("held_up_s", held_up_s, {Unit::seconds, Add::sum},
      "All of 1 ms or more, of all threads: a long turn, or a standstill.");
    f("away_s", away_s, {Unit::seconds, Add::sum},
      "Of those: its threads were not on a processor, because the process was stopped or others "
      "had it.");
  }
};

/// How a cgroup stopped its threads for its quota.
struct Throttled {
  std::string cgroup;
  std::uint64_t times = 0;
  double seconds = 0;

  void fields(auto& f) {
    f.table("throttled",
            "Of the cgroup that stopped its threads longest for its quota (cpu.stat).");
    f("cgroup", cgroup);
    f("times", times, kCounted, "nr_throttled");
    f("seconds", seconds, {Unit::seconds, Add::sum},
      "throttled_usec, or throttled_time of cgroup v1: of all processors.");
  }
};

/// How the ready threads of one end had no processor in the measured part.
struct ProcessorWait {
  double run_delay_s = 0;
  std::uint64_t slices = 0;
  std::optional<Throttled> throttled = std::nullopt;

  void fields(auto& f) {
    f.table("processor_wait",
            "How the ready threads of one end had no processor (schedstat). Absent where the "
            "kernel does not say.");
    f("run_delay_s", run_delay_s, {Unit::seconds, Add::sum}, "Of all threads.");
    f("slices", slices, kCounted, "How often a thread was given a processor.");
    f("throttled", throttled, "Absent without a quota.", {.column = "throttled_"});
  }
};

/// Connections to the server that are not this generator's, from before it opened its own until
/// before it closed them; over UDP sockets that are connected to it.
struct OtherClients {
  std::uint64_t connections = 0;
  std::uint64_t ended = 0;
  std::optional<std::uint64_t> segments;
  double seconds = 0;

  void fields(auto& f) {
    f.table("other_clients",
            "Connections to the server that are not this generator's, from before it opened its "
            "own until before it closed them (sock_diag).");
    f("connections", connections, kCounted);
    f("ended", ended, kCounted,
      "Of those: they ended meanwhile, and what they carried is not known.",
      {.most = "connections"});
    f("segments", segments, kCounted,
      "With data, both ways, of those that did not end; over UDP the datagrams that others "
      "received "
      "in this network namespace. Absent where the kernel does not count them (Unix sockets).");
    f("seconds", seconds, {Unit::seconds, Add::time});
  }
};

/// How many bytes waited, over many looks.
struct ByteSummary {
  std::uint64_t looks = 0;
  double mean = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;

  void fields(auto& f) {
    f.table("bytes", "A look is one tick's at one connection.");
    f("looks", looks, Unit::count);
    f("mean", mean, Unit::bytes);
    f("p50", p50, Unit::bytes, "", {.most = "p99"});
    f("p99", p99, Unit::bytes);
    f("max", max, Unit::bytes);
  }
};

ByteSummary summarize_bytes(const measure::Histogram& histogram);

/// What a server that works in ticks had to do in each of them. A look is one tick's at one
/// connection.
struct Stages {
  LatencySummary tick;
  ByteSummary found;
  ByteSummary left;

  void fields(auto& f) {
    f.table("stages", "");
    f("tick_ns", tick, "Of a walk over all connections.", {.column = "tick_"});
    f("backlog_found_bytes", found, "In a connection's input buffer when the walk comes to it.",
      {.column = "backlog_found_bytes_"});
    f("backlog_left_bytes", left,
      "Of these, what the walk leaves: part of a message, or no room for the answer.",
      {.column = "backlog_left_bytes_"});
  }
};

}  // namespace wiremark::report
