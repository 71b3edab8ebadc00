// The options of netload and its command line.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "load/exchange/exchanges.h"
#include "load/plan/plan.h"
#include "net/sources.h"
#include "options.h"
#include "reactor_options.h"
#include "report/slo.h"

namespace wiremark::tools {

/// What --compare names: backends of netecho, or targets. One of them is empty.
struct Comparands {
  std::vector<net::Backend> backends;
  std::vector<std::string> targets;

  bool empty() const noexcept { return backends.empty() && targets.empty(); }
};

struct LoadOptions {
  std::string target;  ///< Empty: start a netecho on loopback.
  FamilyOptions family;
  Comparands compare;
  unsigned rounds = 0;   ///< 0: not given, 6.
  pid_t server_pid = 0;  ///< 0: netload looks for it.
  std::vector<int> server_cpus;

  BackendOptions backend;
  ThreadOptions threads;
  TimeOptions time;
  OutputOptions output;
  LatencyOptions latency;
  std::vector<report::Objective> objectives;
  bool find_max = false;
  bool bypass = false;
  double start_at = 0;         ///< Seconds since 1970; 0: at once.
  int start_fd = -1;           ///< Where a launcher says when to start; -1: there is none.
  Nanoseconds grace = kNever;  ///< What is still awaited so long after the end is given up.
  Nanoseconds warmup = 0;
  Nanoseconds timeout = kNever;  ///< kNever: not given; 5 s, and over UDP 1 s.

  unsigned connections = 100;
  load::Share share;
  double connect_rate_hz = 0;
  net::Sources sources;  ///< None given: the kernel picks, or they are spread over loopback.
  double rate_hz = 0;
  double total_rate_hz = 0;
  /// Messages per second of the whole load, however that was said; 0 in a closed loop.
  double whole_rate_hz() const noexcept {
    return rate_hz > 0 ? rate_hz * connections : total_rate_hz;
  }
  bool poisson = false;  ///< With a rate: Poisson arrivals, not even ones.
  unsigned churn = 0;    ///< 0: connections are kept.
  bool reconnect = false;
  double requests = 0;
  unsigned pipeline = 0;  ///< 0: 1 in a closed loop, 16 with a rate.
  load::ExchangeOptions exchange;
  bool no_verify = false;
  bool latency_from_send = false;
  std::optional<bool> receive_timestamps;  ///< Not given: with --wait batch.
  unsigned errors_max = 0;
  bool strict = false;  ///< Nothing but VALID will do.
};

/// Describes the command line; parsing it fills in `options`.
void add_options(CommandLine& line, LoadOptions& options);

/// The options of one of the targets that are compared, to be completed.
LoadOptions for_target(const LoadOptions& options, const std::string& target);

/// Whether the target is a UDP port.
bool over_udp(const LoadOptions& options);

/// Fills in what was not given and depends on other options. Returns a usage error as text.
std::string complete(LoadOptions& options);

}  // namespace wiremark::tools
