// What a user asks of netload, and how its command line says so.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "load/exchange/exchanges.h"
#include "net/sources.h"
#include "options.h"
#include "reactor_options.h"
#include "report/slo.h"

namespace wiremark::tools {

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
  std::vector<report::Objective> objectives;
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
  load::ExchangeOptions exchange;
  bool no_verify = false;
  bool latency_from_send = false;
  std::optional<bool> receive_timestamps;  ///< Not given: with --wait batch.
  unsigned errors_max = 0;
};

/// Describes the command line; parsing it fills `options` in.
void add_options(CommandLine& line, LoadOptions& options);

/// Whether the target is a UDP port.
bool over_udp(const LoadOptions& options);

/// Fills in what was not given and depends on other options. A usage error is returned as text.
std::string complete(LoadOptions& options);

}  // namespace wiremark::tools
