// Studies: several runs and what they say together. Each is plain data, and a document of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "measure/ratio.h"
#include "report/latency_shape.h"
#include "report/published.h"
#include "report/result.h"

namespace wiremark::report {

/// Runs of the same thing, one after the other, each with a verdict.
using Rounds = std::vector<RunResult>;

/// The figures that studies compare.
double qps_of(const RunResult& run);
double server_cost_of(const RunResult& run);  ///< us of processor time per message; 0 is unknown.
double client_cost_of(const RunResult& run);
double p50_ns_of(const RunResult& run);
double p99_ns_of(const RunResult& run);
double kernel_pct_of(const RunResult& run);  ///< The kernel's part of the server's time.

/// One of these figures over rounds.
std::optional<measure::Spread> spread_of(const Rounds& rounds, double (*figure)(const RunResult&));
/// How many of them are valid.
std::size_t valid_of(const Rounds& rounds);
/// Whether what is made of this figure over rounds is to be trusted. A median lies between two
/// valid rounds while more than half of them are; percentiles come of all rounds added up, and need
/// each of them.
bool stands(const Rounds& rounds, std::string_view figure);

/// The nearest and the farthest in ns that the processors were around these runs; 0 where unknown.
std::pair<Nanoseconds, Nanoseconds> distances_of(std::span<const RunResult> runs);

/// What was run and where, in words. Documents of netload 0.1.0 and before lack them.
struct Setting {
  std::optional<std::string> about;
  std::optional<std::string> processors;
};

/// One backend of a comparison. Ratios are against the first, round by round.
struct Compared {
  std::string backend;
  Rounds rounds;
  std::optional<measure::Spread> server_cpu_ratio = std::nullopt;
  std::optional<measure::Spread> qps_ratio = std::nullopt;
};

/// The same load on several backends in turn, round by round.
struct Comparison {
  Setting setting;
  std::uint64_t rounds_left_out = 0;  ///< The processors came nearer or went apart.
  std::vector<Compared> backends;
};

/// A figure of one against that of another, round by round.
std::optional<measure::MedianInterval> interval_of(const Rounds& one, const Rounds& base,
                                                   double (*figure)(const RunResult&));

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
  std::string reason;  ///< Why it was not kept.
};

struct BrokenRate {
  double rate_hz = 0;
  std::string reason;
};

/// A search for the highest rate that keeps the objectives.
struct MaxRate {
  Setting setting;
  std::vector<std::string> objectives;
  std::optional<double> max_rate_hz;  ///< As planned; none where no rate kept them.
  std::optional<measure::Spread> reached_hz;
  std::optional<measure::Spread> p99_ns;
  std::optional<BrokenRate> next;  ///< The lowest rate that broke them.
  std::string limit;  ///< What ended the search: "server", "generator", "machine" or "none".
  bool interrupted = false;
  std::vector<Probe> probes;
};

/// A way that a message takes, or the load behind them.
struct Way {
  std::string name;
  std::uint64_t connections = 0;
  Rounds rounds;
};

/// What a way takes longer than the next shorter one, in ns: the cost of what only the longer has.
struct BypassParts {
  std::optional<measure::Spread> sleep_and_wake;
  std::optional<measure::Spread> tcp_and_ip;
  std::optional<measure::Spread> system_calls_and_sockets;
  std::optional<measure::Spread> shared_memory;
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
  BypassParts parts;
  std::optional<std::string> invalid;    ///< Why the parts say nothing.
  std::optional<std::string> not_tried;  ///< Why UDP and AF_XDP are not among the ways.
  /// TCP asleep in between, TCP spinning, a Unix socket, those of UDP, and the load.
  std::vector<Way> ways;
};

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
