// Studies: several runs and what they say together. Each is plain data, and a document of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "measure/histogram.h"
#include "measure/ratio.h"
#include "report/latency_shape.h"
#include "report/published.h"
#include "report/result.h"

namespace wiremark::report {

/// Runs of the same thing, one after the other, each with a verdict.
using Rounds = std::vector<RunResult>;

/// A figure that studies compare; none where a run does not have it.
using FigureOf = std::optional<double> (*)(const RunResult&);

std::optional<double> qps_of(const RunResult& run);
std::optional<double> server_cost_of(const RunResult& run);  ///< us of processor time per message.
std::optional<double> client_cost_of(const RunResult& run);
std::optional<double> p50_ns_of(const RunResult& run);  ///< Of all messages.
std::optional<double> p99_ns_of(const RunResult& run);
std::optional<double> kernel_pct_of(const RunResult& run);  ///< Of the server's processor time.

/// A figure over rounds; none unless each of them has it.
std::optional<measure::Spread> spread_of(const Rounds& rounds, FigureOf figure);

/// The latency of all rounds together: histograms are added, percentiles never averaged.
struct PooledLatency {
  measure::Histogram histogram;
  std::uint64_t unanswered = 0;  ///< Messages without an answer, later than any other.
};
PooledLatency latency_of(std::span<const RunResult> rounds);

/// How many of them are valid.
std::size_t valid_of(const Rounds& rounds);
/// Whether what is made of this figure over rounds is to be trusted. A median lies between two
/// valid rounds while more than half of them are; percentiles come of all rounds added up, and need
/// each of them.
bool stands(const Rounds& rounds, std::string_view figure);

/// The nearest and the farthest in ns that the processors were around these runs; 0 where unknown.
std::pair<Nanoseconds, Nanoseconds> distances_of(std::span<const RunResult> runs);

void fields(auto& f, measure::Spread& of) {
  f.table("spread", "");
  f("median", of.median, Unit::ratio);
  f("min", of.min, Unit::ratio);
  f("max", of.max, Unit::ratio);
  f("rounds", of.rounds, Unit::count, "", {.min = 1});
}

/// The spread of a figure over the rounds of its owner; null unless each round has it.
inline auto spread(FigureOf figure) {
  return [figure](const auto& owner) { return spread_of(owner.rounds, figure); };
}

inline constexpr const char* kLeftOutHelp =
    "Rounds run again because the processors came nearer or went apart before or in them.";

/// What was run and where, in words. Documents of netload 0.1.0 and before lack them.
struct Setting {
  std::optional<std::string> about;
  std::optional<std::string> processors;

  void fields(auto& f) {
    f.table("setting", "");
    f("about", about, "What was run, in words.");
    f("processors", processors, "Where both ends ran, in words.");
  }
};

/// A round that could not be run, which ended its study.
struct FailedRound {
  std::string name;         ///< Of the backend, target or way.
  std::uint64_t round = 0;  ///< From 1.
  std::string reason;

  void fields(auto& f) {
    f.table("failed_round", "");
    f("name", name, "The backend, the target or the way.");
    f("round", round, Unit::count, "From 1.", {.min = 1});
    f("reason", reason);
  }
};

/// What could not be run, and why.
std::string in_words(const FailedRound& failed);

inline constexpr const char* kFailedHelp =
    "The round that could not be run, and why: what is here was measured before it. Absent where "
    "none failed.";

/// One backend of a comparison. Ratios are against the first, round by round.
struct Compared {
  std::string backend;
  Rounds rounds;
  std::optional<measure::Spread> server_cpu_ratio = std::nullopt;
  std::optional<measure::Spread> qps_ratio = std::nullopt;

  void fields(auto& f) {
    f.table("compared", "");
    f("backend", backend, "", {.column = "backend"});
    f.made(
        "valid_rounds", Unit::count, [](const Compared& one) { return valid_of(one.rounds); },
        "Rounds whose verdict is valid.");
    f.made("qps", Unit::text, spread(qps_of), "", {.null = true});
    f.made("server_us_cpu_per_message", Unit::text, spread(server_cost_of), "", {.null = true});
    f.made("us_cpu_per_message", Unit::text, spread(client_cost_of), "", {.null = true});
    f("server_cpu_ratio", server_cpu_ratio, "", {.null = true});
    f("qps_ratio", qps_ratio, "", {.null = true});
    f("rounds", rounds, "", {.min = 1, .rows = true});
  }
};

/// The same load on several backends in turn, round by round.
struct Comparison {
  Setting setting;
  std::uint64_t rounds_left_out = 0;  ///< The processors came nearer or went apart.
  std::optional<FailedRound> failed;
  std::vector<Compared> backends;

  void fields(auto& f) {
    f.table(
        "comparison",
        "What netload --compare --json prints: each backend with the results of its rounds. Ratios "
        "are taken round by round against the first backend, and their median after that.");
    f.constant("schema", "wiremark.comparison/1");
    f("", setting);
    f("rounds_left_out", rounds_left_out, Unit::count, kLeftOutHelp);
    f("failed", failed, kFailedHelp);
    f("backends", backends, "", {.min = 1, .rows = true});
  }
};

/// A figure of one against that of another, round by round. Rounds in which one lacks it are left
/// out.
std::optional<measure::MedianInterval> interval_of(const Rounds& one, const Rounds& base,
                                                   FigureOf figure);

/// `comparison` with its ratios as its rounds make them.
Comparison remade(Comparison comparison);

/// Probes of a search at most: 9 doublings from 1 k to 256 k, 4 halvings of the bracket down to 5
/// %, each failure twice, 2 repeats at the edge, and as many again where repeats disagree.
inline constexpr std::size_t kProbesMax = 40;

struct Probe {
  double rate_hz = 0;
  RunResult result;
  bool kept = false;
  bool generator_was_limit = false;
  std::string reason;

  void fields(auto& f) {
    f.table("probe", "");
    f("rate_hz", rate_hz, Unit::per_second);
    f("kept", kept, "", {.column = "kept"});
    f("reason", reason, "Why it did not keep them; empty when it did.", {.column = "reason"});
    f("generator_was_limit", generator_was_limit);
    f("result", result, "", {.column = ""});
  }
};

/// A rate that was not kept, or that could not be tried.
struct BrokenRate {
  double rate_hz = 0;
  std::string reason;

  void fields(auto& f) {
    f.table("broken_rate", "");
    f("rate_hz", rate_hz, Unit::per_second);
    f("reason", reason);
  }
};

/// A search for the highest rate that keeps the objectives.
struct MaxRate {
  Setting setting;
  std::vector<std::string> objectives;
  std::optional<double> max_rate_hz;
  std::optional<measure::Spread> reached_hz;
  std::optional<measure::Spread> p99_ns;
  std::optional<BrokenRate> next;
  std::optional<BrokenRate> failed;  ///< The probe that could not be run, which ended the search.
  std::string limit;
  bool interrupted = false;
  std::vector<Probe> probes;

  void fields(auto& f) {
    f.table("find_max",
            "What netload --find-max --json prints: the highest total rate that keeps the "
            "objectives, and every probe in its order.");
    f.constant("schema", "wiremark.find-max/1");
    f("", setting);
    f("objectives", objectives, "", {.min = 1});
    f("max_rate_hz", max_rate_hz, Unit::per_second, "As planned; null when no rate kept them.",
      {.null = true});
    f("reached_hz", reached_hz, "Of the probes of that rate that kept them.", {.null = true});
    f("p99_ns", p99_ns, "", {.null = true});
    f("next", next, "The lowest rate that broke them, and how; null when none did.",
      {.null = true});
    f("failed", failed,
      "The probe that could not be run, and why: it ended the search. Absent where none failed.");
    f("limit", limit,
      "What ended the search, server, generator, machine or none: where it is the generator, or "
      "one of both ends had no processor (machine), the server may do more.");
    f("interrupted", interrupted);
    f("probes", probes, "", {.min = 1, .rows = true});
  }
};

/// What a probe that could not be run asked for, and why it could not.
std::string failure_in_words(const BrokenRate& failed);

/// A way that a message takes, or the load behind them.
struct Way {
  std::string name;
  std::uint64_t connections = 0;
  Rounds rounds;

  void fields(auto& f) {
    f.table("way", "");
    f("name", name, "", {.column = "way"});
    f("connections", connections, Unit::count, "", {.column = "way_connections", .min = 1});
    f.made("p50_ns", Unit::text, spread(p50_ns_of), "", {.null = true});
    f.made("server_us_cpu_per_message", Unit::text, spread(server_cost_of), "", {.null = true});
    f.made("us_cpu_per_message", Unit::text, spread(client_cost_of), "", {.null = true});
    f.made("server_kernel_pct", Unit::text, spread(kernel_pct_of),
           "The kernel's part of the server's processor time, as the kernel samples it.",
           {.null = true});
    f("rounds", rounds, "", {.min = 1, .rows = true});
  }
};

/// What a way takes longer than the next shorter one, in ns: the cost of what only the longer has.
struct BypassParts {
  std::optional<measure::Spread> sleep_and_wake;
  std::optional<measure::Spread> tcp_and_ip;
  std::optional<measure::Spread> system_calls_and_sockets;
  std::optional<measure::Spread> shared_memory;

  void fields(auto& f) {
    f.table("parts",
            "Of the median round trip over TCP with both ends asleep in between: the difference of "
            "two ways within each round, 0 where the shorter way took longer.");
    f("sleep_and_wake", sleep_and_wake,
      "TCP asleep in between less TCP spinning: spinning saves it, without a bypass.",
      {.null = true});
    f("tcp_and_ip", tcp_and_ip,
      "TCP spinning less a Unix socket spinning: a bypass brings a stack of its own for it.",
      {.null = true});
    f("system_calls_and_sockets", system_calls_and_sockets,
      "A Unix socket spinning less shared memory: a bypass saves it.", {.null = true});
    f("shared_memory", shared_memory,
      "The median round trip through shared memory: nothing saves it.", {.null = true});
  }
};

/// Names of the ways that UDP takes between two namespaces: those with one message in flight, those
/// with many flows of one, and one flow of many that the kernel gathers.
inline constexpr const char* kUdpAsleep = "UDP, asleep in between";
inline constexpr const char* kUdpSpinning = "UDP, spinning";
inline constexpr const char* kXdpSpinning = "AF_XDP, spinning";
inline constexpr const char* kUdpFlows = "UDP, 64 flows, asleep";
inline constexpr const char* kXdpFlows = "AF_XDP, 64 flows, asleep";
inline constexpr const char* kUdpGathered = "UDP, GSO, 256 in flight";

/// One message over shorter and shorter ways, and a server under load.
struct Bypass {
  Setting setting;
  std::uint64_t message_bytes = 0;
  std::uint64_t rounds_left_out = 0;
  std::optional<FailedRound> failed;
  BypassParts parts;
  std::optional<std::string> invalid;
  std::optional<std::string> not_tried;
  std::vector<Way> ways;

  void fields(auto& f) {
    f.table(
        "bypass",
        "What netload --bypass --json prints: one message there and back over shorter and shorter "
        "ways, what the difference between two of them is made of, and a server under load.");
    f.constant("schema", "wiremark.bypass/1");
    f("", setting);
    f("message_bytes", message_bytes, Unit::bytes, "", {.min = 1});
    f("rounds_left_out", rounds_left_out, Unit::count, kLeftOutHelp);
    f("failed", failed, kFailedHelp);
    f("parts_ns", parts);
    f("invalid", invalid,
      "Why the parts say nothing: one is below nothing, or they do not add up to the round trip. "
      "Absent where they do.");
    f("not_tried", not_tried,
      "Why UDP through the kernel and past it was not measured. Absent where it was, and in "
      "documents from before it could be.");
    f("ways", ways,
      "TCP asleep in between, TCP spinning and a Unix socket spinning; UDP between two network "
      "namespaces joined by veth, through the kernel and over AF_XDP; and last the load.",
      {.min = 4, .rows = true});
  }
};

/// `study` with the parts that its first three ways make, and `memory_ns`: the median round trip
/// through shared memory of each round. Where they say nothing, with the reason.
Bypass with_parts(Bypass study, const std::vector<double>& memory_ns);

/// What the ways past the kernel took of what those through it took, and what they cost, in one
/// sentence; or why nobody knows. Empty where the document is from before they were measured.
std::string bought_text(const Bypass& study);

/// Why the parts cannot be what the whole is made of; none where they can.
std::optional<std::string> discord_of(const BypassParts& parts, double whole_ns);

/// One run of an experiment that a script makes, with what it kept of it.
struct Trial {
  std::vector<std::pair<std::string, std::string>> labels;
  std::optional<std::string> failed;
  std::vector<std::pair<std::string, double>> figures;
  std::optional<RunResult> load;
  std::optional<RunResult> server;

  void fields(auto& f) {
    f.table("trial", "");
    f("labels", labels, "What tells it from the others, such as its server.", {.column = "labels"});
    f("failed", failed, "Why there is no more of it.", {.column = "failed"});
    f("figures", figures, "What was kept of it, with the unit in each name.",
      {.column = "figures"});
    f("load", load, "The result of netload.", {.column = "load_"});
    f("server", server, "The result of netecho.", {.column = "server_"});
  }
};

/// A published experiment, or other servers and clients beside ours. Only its script knows what
/// follows from it, so the lines that it printed stand in the document as `text`. `kept` is what
/// the script needs to add rounds later, by name.
struct Experiment {
  std::string name;
  std::string started;
  std::vector<std::string> argv;
  std::optional<std::string> base = std::nullopt;
  std::vector<std::string> text;
  std::vector<std::pair<std::string, std::string>> kept;
  std::optional<std::vector<Published>> published = std::nullopt;
  std::vector<Trial> runs;

  void fields(auto& f) {
    f.table("experiment", "What the scripts of test/experiments and test/peers write with --json.");
    f.constant("schema", "wiremark.experiment/1");
    f("name", name, "", {.column = "name"});
    f("started", started, Unit::moment, "RFC 3339, UTC.", {.column = "started"});
    f("argv", argv);
    f("base", base,
      "The label server of those runs that the others are compared with, round by round where all "
      "other labels are the same. Absent where nothing is compared.");
    f("text", text, "The lines that were printed.");
    f("kept", kept, "What the script needs to go on later, as JSON each.");
    f("published", published, "Of a published experiment: its figures beside ours.");
    f("runs", runs, "", {.rows = true});
  }
};

/// Studies as text for people. Of a comparison: with `letters` each ratio has a bar behind it, and
/// the last lines are conclusions_of().
std::string text_report(const Comparison& study, Letters letters = Letters::none);
/// A sentence for each backend but the first, beside that one: by the processor time of the
/// servers, and by their rate where that is unknown.
std::vector<std::string> conclusions_of(const Comparison& study);
std::string text_report(const MaxRate& study);
std::string text_report(const Bypass& study);
std::string text_report(const Experiment& study);
/// The line of a probe, from 1, with the names of its columns above the first.
std::string probe_line(std::size_t number, const Probe& probe);
/// What stands below the probes.
std::string outcome_text(const MaxRate& study);

}  // namespace wiremark::report
