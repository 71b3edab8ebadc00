// One run of a load against one target: from the first connection to the result.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "measure/result.h"
#include "measure/slo.h"
#include "netload/load_plan.h"
#include "netload/traffic_plan.h"
#include "options.h"
#include "reactor_options.h"
#include "signals.h"

namespace wiremark::tools {

struct SizeRange {
  std::size_t min = 0;
  std::size_t max = 0;
};

struct LoadOptions {
  std::string target;  ///< Empty: start a netecho on loopback.
  std::vector<net::Backend> compare;
  unsigned rounds = 0;   ///< 0: not given, 5.
  pid_t server_pid = 0;  ///< 0: look for it.
  std::vector<int> server_cpus;

  BackendOptions backend;
  ThreadOptions threads;
  TimeOptions time;
  OutputOptions output;
  LatencyOptions latency;
  std::vector<measure::Objective> objectives;
  bool find_max = false;
  bool bypass = false;
  double start_at = 0;         ///< Seconds since 1970; 0 is at once.
  Nanoseconds grace = kNever;  ///< What is still awaited so long after the end is given up.
  Nanoseconds warmup = 0;
  Nanoseconds timeout = kNever;  ///< kNever: not given; 5 s, and over UDP 1 s.

  unsigned connections = 100;
  double connect_rate_hz = 0;
  net::Sources sources;  ///< None: the kernel picks, or they are spread over loopback.
  double rate_hz = 0;
  double total_rate_hz = 0;
  bool poisson = false;  ///< With a rate: Poisson arrivals, not even ones.
  unsigned churn = 0;    ///< 0: connections stay.
  bool reconnect = false;
  double requests = 0;
  unsigned pipeline = 0;  ///< 0: 1 in a closed loop, 16 with a rate.
  std::string format{kRaw};
  std::string input;  ///< Contents, one a line; empty: the texts of E2.
  std::size_t max_frame = wire::Limits().frame_size;
  SizeRange size;  ///< Of raw messages; 0: not given, 512.
  bool no_verify = false;
  bool latency_from_send = false;
  std::optional<bool> receive_timestamps;  ///< Not given: with --wait batch.
  unsigned errors_max = 0;
  std::uint64_t seed = 1;
};

/// The command line of a netecho on `backend` that waits, buffers and is pinned as `options` say.
std::vector<std::string> server_arguments(const LoadOptions& options, net::Backend backend);

/// What a run goes to, and the process behind it where that runs on this machine.
struct Target {
  net::Address address;
  std::optional<pid_t> pid;
};

/// Opens the connections, runs the load and closes them again. Ends early when `stop` is requested;
/// the result is then marked as interrupted. Errors: a backend that cannot run, a socket that
/// cannot be had, fewer connections than asked for.
Result<measure::RunResult> run_load(const LoadOptions& options, net::Backend backend,
                                    const Target& target, const std::vector<std::string>& arguments,
                                    const net::Stop& stop, Signals& signals);

/// The exit code that `result` earns.
ExitCode exit_code(const measure::RunResult& result, const LoadOptions& options);

}  // namespace wiremark::tools
