// netload: a load generator that checks every reply and says what it cost.
#include "base/output_file.h"
#include "netload/choose_address.h"
#include "netload/find_server.h"
#include "netload/run.h"
#include "netload/sharing.h"
#include "netload/studies/bypass.h"
#include "netload/studies/compare.h"
#include "netload/studies/find_max.h"
#include "netload/studies/server_process.h"
#include "options.h"
#include "printing.h"
#include "report.h"
#include "report/verdict.h"
#include "signals.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netload --compare epoll,uring            both backends of netecho in turn
  netload 127.0.0.1:7007                   closed loop, 100 connections, 10 s
  netload -c 10000 -r 10 -d 30s :7007      open loop, each sends 10 a second
  netload -n 1M -c 100 -s 512 :7007        a million verified round trips
  netload -f json -c 100                   JSON, every answer checked
  netload -c 1 -s 64 --wait spin --json    no sleep, result as JSON
  netload -r 100 --slo 'p99<2ms' :7007     exit 1 when p99 is 2 ms or more
  netload --find-max --slo 'p99<2ms'       the highest rate that keeps it
  netload -r 100 -s 64 udp:127.0.0.1:7007  datagrams, the lost are counted
  netload redis://127.0.0.1 -R 10k         your own server: redis, http://
  netload --send 'a\n' --reply line :7000  and memcached://, or any other
  netload --bypass                         where the time of a message goes
Without TARGET it starts a netecho on loopback for the run.)";

// What waited for its connection is sent after the asked time as well.
double sent_hz_of(const report::RunResult& result) {
  const report::Totals& totals = result.totals;
  const double seconds = totals.seconds + (totals.drain ? totals.drain->seconds : 0);
  return static_cast<double>(result.outcome->sent) / seconds;
}

Result<int> run(const LoadOptions& options, const std::vector<std::string>& arguments,
                const net::Stop& stop, Signals& signals) {
  const auto backend = usable_backend("netload", options.backend, options.output.quiet);
  if (!backend) return std::unexpected(backend.error());
  std::optional<ServerProcess> server;
  Target target;
  if (options.target.empty()) {
    auto started = ServerProcess::start(options, *backend);
    if (!started) return std::unexpected(started.error());
    server.emplace(std::move(*started));
    target = server->target();
  } else {
    const auto address = choose_address(options, stop);
    if (!address) return std::unexpected(address.error());
    auto named =
        options.server_pid > 0 ? named_server(*address, options.server_pid) : find_server(*address);
    if (!named) return std::unexpected(named.error());
    target = std::move(*named);
  }
  if (options.find_max) return find_max(options, *backend, target, arguments, stop, signals);
  std::string hdr_log;
  auto result = run_load(options, *backend, target, arguments, stop, signals, &hdr_log);
  if (!result) return std::unexpected(result.error());
  // In a closed loop there is no plan that others could help to keep.
  if (result->pacing && result->totals.messages > 0 && report::generator_was_full(*result)) {
    result->warnings.push_back(how_to_share({.arguments = arguments,
                                             .has_target = !options.target.empty(),
                                             .is_rank = options.start_fd >= 0,
                                             .share = options.share,
                                             .connections = options.connections,
                                             .wanted_hz = options.whole_rate_hz(),
                                             .sent_hz = sent_hz_of(*result),
                                             .threads = result->cpu.threads,
                                             .cores = result->host.cores_online}));
  }
  const std::string& log_file = options.latency.hdr_log;
  const auto written = together({tools::report(*result, options.output),
                                 write_distribution(*result, options.latency),
                                 log_file.empty() ? Result<>() : replace_file(log_file, hdr_log)});
  if (!written) return std::unexpected(written.error());
  return exit_code(*result, options);
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions options;
  CommandLine line(
      "netload",
      "Load generator for servers that echo, and for your own: sends on a schedule or\n"
      "as fast as replies come, checks every reply and tells rate, latency and the CPU\n"
      "time of both ends.",
      kExamples);
  add_options(line, options);
  if (const auto exit = line.parse(argc, argv)) return *exit;
  if (const std::string wrong = complete(options); !wrong.empty()) {
    print_err("netload: {}\nTry 'netload --help'.\n", wrong);
    return kUsage;
  }
  net::Stop stop;
  Signals signals(stop);
  if (options.bypass)
    return ending("netload", show_bypass(options, line.arguments(), stop, signals));
  if (!options.compare.empty())
    return ending("netload", compare(options, line.arguments(), stop, signals));
  const auto code = run(options, line.arguments(), stop, signals);
  return ending("netload", code ? *code : cannot("netload", code.error()));
}
