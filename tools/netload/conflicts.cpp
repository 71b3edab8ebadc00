// The options of a load that do not go together.
#include "netload/conflicts.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include "measure/quantity.h"

namespace wiremark::tools {

namespace {

// Output of single runs, and what several netloads share, asked of a tool that makes many runs.
std::string conflict_of_many(const LoadOptions& options) {
  const std::string many = asks_for_many(options);
  if (many.empty()) return {};
  if (options.output.json_lines) return "--json-lines takes single runs: use --json with " + many;
  for (const auto& [given, flag] : {std::pair(!options.latency.hgrm.empty(), "--hgrm"),
                                    {!options.latency.hdr_log.empty(), "--hdr-log"},
                                    {options.start_at > 0, "--start-at"},
                                    {options.start_fd >= 0, "--start-fd"},
                                    {options.share.of > 1, "--share"}}) {
    if (given) return fmt::format("{} takes single runs, and {} makes many", flag, many);
  }
  return {};
}

std::string conflict_of_compared_targets(const LoadOptions& options) {
  if (!options.target.empty()) return "--compare names its targets: leave TARGET out";
  if (options.find_max || options.bypass)
    return "--compare, --find-max and --bypass do not go together";
  if (!options.server_cpus.empty() || options.server_pid > 0)
    return "--server-cpus and --server-pid are of one server: leave them out";
  return conflict_of_many(options);
}

std::string conflict_of_studies(const LoadOptions& options) {
  const std::string many = asks_for_many(options);
  if (!options.target.empty() && (many == "--compare" || many == "--bypass"))
    return many + " starts its own servers: leave TARGET out";
  if (!options.compare.empty() + options.find_max + options.bypass > 1)
    return "--compare, --find-max and --bypass do not go together";
  if (std::string wrong = conflict_of_many(options); !wrong.empty()) return wrong;
  if (options.find_max && options.requests > 0)
    return "-n counts the messages of one run: give --find-max the -d of a probe";
  if (options.rounds > 0 && (many.empty() || options.find_max))
    return "--rounds needs --compare or --bypass";
  return {};
}

std::string conflict_of_target(const LoadOptions& options) {
  const bool starts_server = options.target.empty();
  const bool is_path = options.target.starts_with("unix:");
  if (options.target.ends_with(":0") && !is_path)
    return "port 0 is for a server, which takes any free one: name the port that it took";
  if (!starts_server && !options.server_cpus.empty())
    return "--server-cpus pins a netecho that netload starts: leave TARGET out";
  if (options.sources.size() > 0 && is_path)
    return "--source-ip is for TCP: a Unix path has no source address";
  if (options.family.family() != AF_UNSPEC && (starts_server || is_path))
    return "-4 and -6 choose among the addresses of a host: name one as TARGET";
  if (starts_server && options.server_pid > 0) return "--server-pid needs a TARGET";
  if (starts_server && options.share.of > 1)
    return "--share is for several netloads on one server: name it as TARGET";
  return {};
}

std::string conflict_of_share(const LoadOptions& options) {
  if (options.share.of <= options.connections) return {};
  return fmt::format("--share: {} are too few for {} netloads",
                     measure::format_counted(options.connections, "connection"), options.share.of);
}

// With a server that is no netecho.
std::string conflict_of_custom(const LoadOptions& options) {
  if (!load::is_custom(options.exchange)) return {};
  const load::CustomOptions& custom = options.exchange.custom;
  const std::string reply = load::reply_of(custom, over_udp(options));
  if (options.target.empty() && reply != "echo")
    return "name your server as TARGET: the netecho that netload starts only echoes";
  if (over_udp(options) && options.pipeline > 1 && reply != load::kOneWay && !load::has_ids(custom))
    return "replies over UDP are told apart by %{id} in each --send: without it, leave --pipeline "
           "out";
  return {};
}

std::string conflict_of_exchange(const LoadOptions& options) {
  if (std::string wrong = load::conflict_in(options.exchange, over_udp(options)); !wrong.empty())
    return wrong;
  return conflict_of_custom(options);
}

// With --bypass, which decides these itself.
std::string conflict_of_bypass(const LoadOptions& options) {
  if (!options.bypass) return {};
  if (options.rate_hz + options.total_rate_hz > 0)
    return "--bypass sends the next message when the reply is there: leave the rate out";
  if (load::is_custom(options.exchange)) return "--bypass sends raw messages: leave --send out";
  if (load::is_framed(options.exchange)) return "--bypass sends raw messages: leave -f out";
  const auto& size = options.exchange.size;
  if (size && size->min != size->max) return "--bypass takes one --size, not a range";
  if (options.pipeline > 1) return "--bypass has one message in flight: leave --pipeline out";
  if (options.churn > 0) return "--bypass keeps its connections: leave --churn out";
  if (options.threads.threads > 1) return "--bypass has one thread at each end: leave -t out";
  return {};
}

// What has no meaning over UDP.
std::string conflict_of_udp(const LoadOptions& options) {
  if (!over_udp(options)) return {};
  for (const auto& [given, flag] : {std::pair(options.churn > 0, "--churn"),
                                    {options.reconnect, "--reconnect"},
                                    {options.connect_rate_hz > 0, "--connect-rate"}}) {
    if (given) return fmt::format("{} is of connections, which UDP has not: leave it out", flag);
  }
  if (options.timeout == 0)
    return "--timeout 0 would wait for ever for a datagram that is lost: give it a time";
  return {};
}

std::string conflict_of_xdp(const LoadOptions& options) {
  if (options.backend.backend != net::Backend::xdp) return {};
  if (options.threads.threads > 1)
    return "--backend xdp has one thread for all receive queues: leave -t out";
  if (options.sources.size() > 1)
    return "--backend xdp asks from one address: give --source-ip one";
  return {};
}

std::string conflict_of_closed_loop(const LoadOptions& options) {
  if (options.find_max || options.rate_hz + options.total_rate_hz > 0) return {};
  if (options.poisson) return "--arrival needs a rate: -r or -R";
  if (options.latency_from_send) return "--latency-from needs a rate: -r or -R";
  return {};
}

}  // namespace

std::string asks_for_many(const LoadOptions& options) {
  if (!options.compare.empty()) return "--compare";
  if (options.find_max) return "--find-max";
  return options.bypass ? "--bypass" : "";
}

std::string conflict_in(const LoadOptions& options) {
  if (!options.compare.targets.empty()) return conflict_of_compared_targets(options);
  for (const auto conflict :
       {conflict_of_studies, conflict_of_target, conflict_of_share, conflict_of_exchange,
        conflict_of_bypass, conflict_of_udp, conflict_of_xdp, conflict_of_closed_loop}) {
    if (std::string wrong = conflict(options); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace wiremark::tools
