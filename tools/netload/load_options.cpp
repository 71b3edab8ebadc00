// What a user asks of netload, and how its command line says so.
#include "netload/load_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/cpus.h"
#include "base/list.h"
#include "base/units.h"
#include "formats.h"

namespace wiremark::tools {

namespace {

// Where --timeout does not say otherwise: a stream that waits so long is stuck, and a datagram was
// lost on its way.
constexpr Nanoseconds kStreamTimeout = 5 * kSecond;
constexpr Nanoseconds kDatagramTimeout = kSecond;
// Bytes of a message whose way is shown, where --size does not say otherwise.
constexpr std::size_t kBypassSize = 64;

Result<std::vector<net::Backend>> parse_backends(const std::string& list) {
  std::vector<net::Backend> backends;
  for (const std::string_view name : split_list(list)) {
    const auto backend = net::parse_backend(name);
    if (!backend) return std::unexpected(backend.error());
    backends.push_back(*backend);
  }
  return backends;
}

Result<std::optional<load::SizeRange>> parse_sizes(const std::string& text) {
  const auto dash = text.find('-');
  const auto first = parse_size(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_size(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *last < *first || *last > 16 << 20) {
    return failed("'" + text + "' is not a size from 1 to 16M, or a range such as 64-1k", {}, 0);
  }
  return load::SizeRange{*first, *last};
}

Result<double> parse_requests(const std::string& text) {
  const auto count = parse_count(text);
  if (!count || *count != std::floor(*count))
    return failed("'" + text + "' is not a whole number such as 500, 10k or 1M", {}, 0);
  return *count;
}

Result<double> parse_start_at(const std::string& text) {
  constexpr double kDay = 86'400;
  const auto seconds = parse_count(text);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const double ahead = seconds ? *seconds - std::chrono::duration<double>(now).count() : -1;
  if (ahead <= 0 || ahead > kDay) {
    return failed("'" + text + "' is not a time of the next 24 hours in seconds since 1970, as " +
                      "date +%s prints",
                  {}, 0);
  }
  return *seconds;
}

Result<bool> parse_latency_from(const std::string& text) {
  if (text == "send" || text == "schedule") return text == "send";
  return failed("'" + text + "' is not schedule or send", {}, 0);
}

Result<bool> parse_arrival(const std::string& text) {
  if (text == "even" || text == "poisson") return text == "poisson";
  return failed("'" + text + "' is not even or poisson", {}, 0);
}

Result<std::optional<bool>> parse_receive_timestamps(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "on" || text == "off") return text == "on";
  return failed("'" + text + "' is not auto, on or off", {}, 0);
}

// Output of single runs, asked of a tool that makes many.
std::string single_runs_only(const LoadOptions& options, const std::string& flag) {
  if (!options.output.csv.empty()) return "--csv takes single runs: use --json=FILE with " + flag;
  if (options.output.json_lines) return "--json-lines takes single runs: use --json with " + flag;
  if (!options.latency.hgrm.empty()) return "--hgrm takes single runs, and " + flag + " makes many";
  if (!options.latency.hdr_log.empty())
    return "--hdr-log takes single runs, and " + flag + " makes many";
  if (options.start_at > 0) return "--start-at takes single runs, and " + flag + " makes many";
  return {};
}

// The flag that asks for many runs in place of one; empty without one.
std::string asks_for_many(const LoadOptions& options) {
  if (!options.compare.empty()) return "--compare";
  if (options.find_max) return "--find-max";
  return options.bypass ? "--bypass" : "";
}

// What --bypass cannot take, as its ways are what they are. A usage error is returned as text.
std::string unfit_for_bypass(const LoadOptions& options) {
  if (options.rate_hz + options.total_rate_hz > 0)
    return "--bypass sends the next message when the reply is there: leave the rate out";
  if (options.requests > 0) return "-n counts the messages of one run: give --bypass a -d";
  if (load::is_framed(options.exchange)) return "--bypass sends raw messages: leave -f out";
  const auto& size = options.exchange.size;
  if (size && size->min != size->max) return "--bypass takes one --size, not a range";
  if (options.pipeline > 1) return "--bypass has one message in flight: leave --pipeline out";
  if (options.churn > 0) return "--bypass keeps its connections: leave --churn out";
  if (options.threads.threads > 1) return "--bypass has one thread at each end: leave -t out";
  return {};
}

// What has no meaning over UDP. A usage error is returned as text.
std::string unfit_for_udp(const LoadOptions& options) {
  for (const auto& [given, flag] : {std::pair(options.churn > 0, "--churn"),
                                    {options.reconnect, "--reconnect"},
                                    {options.connect_rate_hz > 0, "--connect-rate"}}) {
    if (given) return fmt::format("{} is of connections, which UDP has not: leave it out", flag);
  }
  if (options.timeout == 0)
    return "--timeout 0 would wait for ever for a datagram that is lost: give it a time";
  return {};
}

}  // namespace

void add_options(CommandLine& line, LoadOptions& options) {
  const auto whole = [](const std::string& text) { return parse_whole(text, 1); };
  const auto count = [](const std::string& text) { return parse_count(text); };
  const auto time = [](const std::string& text) { return parse_duration(text); };
  line.add_operand("TARGET", options.target,
                   "HOST:PORT, :PORT, [IPV6]:PORT, udp:HOST:PORT or unix:PATH (starts a netecho)")
      .check(net::Address::check_form);
  line.add("-c,--connections", options.connections, "N", whole, "Connections (100)");
  const Option rate =
      line.add("-r,--rate", options.rate_hz, "N", count,
               "Messages per second of each connection: an open loop, where every message has a "
               "planned time; 0 is a closed loop, where each reply brings the next message (0)");
  line.add("-R,--total-rate", options.total_rate_hz, "N", count,
           "Messages per second of all connections together")
      .excludes(rate);
  line.add("-n,--requests", options.requests, "N", parse_requests,
           "Stop after N messages of the measured part (no limit)");
  line.add(
      "-f,--format", options.exchange.name, "FORMAT",
      [](const std::string& text) { return parse_format(text, load::exchange_names()); },
      in_words(load::exchange_names()) +
          ": messages of --size bytes that nobody looks into, or messages in a format, every "
          "answer decoded and checked (raw)");
  line.add_input_file("--input", options.exchange.input,
                      "Contents of the messages of a format, one per line of FILE (22 texts)");
  line.add("--max-frame", options.exchange.max_frame, "SIZE", parse_max_frame,
           "Longest message of a format, sent or answered (1M)");
  line.add("-s,--size", options.exchange.size, "BYTES", parse_sizes,
           "Bytes of a raw message, or a range MIN-MAX (512)");
  line.add(
      "-P,--pipeline", options.pipeline, "N",
      [](const std::string& text) { return parse_whole(text, 1); },
      "Messages of one connection under way at most (1 in a closed loop, 16 with a rate; over UDP "
      "then as many as are sent in a --timeout)");
  line.add(options.time, "Length of the measured part (10s; 2s a round or probe; none with -n)");
  line.add("-w,--warmup", options.warmup, "TIME", time,
           "Run this long first, and leave it out of every figure (0)");
  line.add("--connect-rate", options.connect_rate_hz, "N", count,
           "Connections opened per second (as fast as they open)");
  line.add("--arrival", options.poisson, "HOW", parse_arrival,
           "With a rate: even, or poisson, where the gaps between messages are random (even)");
  line.add("--churn", options.churn, "N", whole,
           "Close each connection after N messages and open another (never)");
  line.add_flag("--reconnect", options.reconnect,
                "Open a connection that broke again, every 100 ms until it opens");
  line.add(
      "--source-ip", options.sources, "LIST",
      [](const std::string& text) { return net::Sources::parse(text); },
      "Addresses that connections come from in turn, such as 127.0.0.2-127.0.0.9 (the kernel's "
      "choice; on loopback, spread where one address has too few ports)");
  line.add("--timeout", options.timeout, "TIME", time,
           "End a connection whose reply takes longer, and a run when none opens for so long; "
           "0 is never; over UDP, count the message as lost (5s; 1s)");
  const Option verify =
      line.add_default_flag("--verify", "Compare every reply with what was sent (on)");
  line.add_flag("--no-verify", options.no_verify, "Compare nothing, only count the bytes")
      .excludes(verify);
  line.add("--latency-from", options.latency_from_send, "WHERE", parse_latency_from,
           "With a rate: count latency from the schedule, or from the send, which hides the time "
           "a message waited to be sent (schedule)");
  line.add("--receive-timestamps", options.receive_timestamps, "HOW", parse_receive_timestamps,
           "on: an answer is timed when the kernel has received it, off: when it is read; auto is "
           "on with --wait batch, which would count the time until the batch is read (auto)");
  line.add("--slo", options.objectives, "LIST", report::parse_objectives,
           "Objectives such as 'p99<2ms,max<=50ms,errors<1', of pN, mean, max and errors; exit "
           "with 1 when one is broken (none)")
      .join();
  line.add_flag("--find-max", options.find_max,
                "Find the highest total rate that keeps --slo (p99<10ms) in probes of --duration");
  line.add("--start-at", options.start_at, "UNIXTIME", parse_start_at,
           "Send the first message at this second since 1970, so that several netloads start "
           "together (at once)");
  line.add(
      "--max-errors", options.errors_max, "N",
      [](const std::string& text) { return parse_whole(text, 0); },
      "Exit with 4 when more connections fail (0)");
  line.add(
      "--seed", options.exchange.seed, "N",
      [](const std::string& text) { return parse_whole(text, 0); },
      "Seed of what the messages hold and of Poisson arrivals (1)");
  add(line, options.backend);
  line.add(options.threads);
  line.add("--compare", options.compare, "LIST", parse_backends,
           "Run the load on a netecho of each backend in turn, such as epoll,uring, and print one "
           "table");
  line.add_flag("--bypass", options.bypass,
                "Show what bypassing the kernel could save here: one message over TCP asleep and "
                "spinning, over a Unix socket and through shared memory, and a server under load")
      .excludes(line.option("--wait"));
  line.add("--rounds", options.rounds, "N", whole, "Rounds of --compare and --bypass (5)");
  line.add(
      "--server-cpus", options.server_cpus, "LIST",
      [](const std::string& text) { return parse_cpus(text); },
      "Pin the netecho that netload starts (the last processor; the client then takes the first)");
  line.add("--server-pid", options.server_pid, "PID", whole,
           "Process whose CPU time the run fetches (found by address)");
  line.add(options.output);
  line.add_lines(options.output);
  line.add_colour(options.output);
  line.add_progress(options.output);
  line.add(options.latency);
}

bool over_udp(const LoadOptions& options) { return options.target.starts_with("udp:"); }

std::string complete(LoadOptions& options) {
  const bool starts_server = options.target.empty();
  const std::string many = asks_for_many(options);
  if (!starts_server && (many == "--compare" || many == "--bypass"))
    return many + " starts its own servers: leave TARGET out";
  if (!options.compare.empty() + options.find_max + options.bypass > 1)
    return "--compare, --find-max and --bypass do not go together";
  if (!many.empty()) {
    std::string wrong = single_runs_only(options, many);
    if (!wrong.empty()) return wrong;
  }
  if (options.target.ends_with(":0") && !options.target.starts_with("unix:"))
    return "port 0 is for a server, which takes any free one: name the port that it took";
  if (options.find_max && options.requests > 0)
    return "-n counts the messages of one run: give --find-max the -d of a probe";
  if (options.rounds > 0 && (many.empty() || options.find_max))
    return "--rounds needs --compare or --bypass";
  if (options.rounds == 0) options.rounds = 5;
  if (!starts_server && !options.server_cpus.empty())
    return "--server-cpus pins a netecho that netload starts: leave TARGET out";
  net::ReactorOptions& reactor = options.backend.reactor;
  reactor.receive_timestamps =
      options.receive_timestamps.value_or(reactor.wait.mode == net::WaitPolicy::Mode::batch);
  if (options.sources.size() > 0 && options.target.starts_with("unix:"))
    return "--source-ip is for TCP: a Unix path has no source address";
  if (starts_server && options.server_pid > 0) return "--server-pid needs a TARGET";
  options.exchange.verify = !options.no_verify;
  const bool datagrams = over_udp(options);
  if (std::string wrong = load::conflict_in(options.exchange, datagrams); !wrong.empty())
    return wrong;
  if (std::string wrong; options.bypass && !(wrong = unfit_for_bypass(options)).empty())
    return wrong;
  if (options.bypass && !options.exchange.size)
    options.exchange.size = load::SizeRange{kBypassSize, kBypassSize};
  if (std::string wrong; datagrams && !(wrong = unfit_for_udp(options)).empty()) return wrong;
  if (options.timeout == kNever) options.timeout = datagrams ? kDatagramTimeout : kStreamTimeout;
  const bool open_loop = options.find_max || options.rate_hz + options.total_rate_hz > 0;
  if (options.poisson && !open_loop) return "--arrival needs a rate: -r or -R";
  if (options.latency_from_send && !open_loop) return "--latency-from needs a rate: -r or -R";
  if (options.time.duration == 0 && options.requests == 0)
    options.time.duration = options.bypass ? kSecond / 2 : (many.empty() ? 10 : 2) * kSecond;
  const std::vector<int> allowed = allowed_cpus();
  if (starts_server && allowed.size() >= 2 && options.server_cpus.empty() &&
      options.threads.cpus.empty() && options.threads.threads == 1) {
    options.server_cpus = {allowed.back()};
    options.threads.cpus = {allowed.front()};
  }
  if (options.bypass && (options.threads.cpus.empty() || options.server_cpus.empty() ||
                         options.threads.cpus.front() == options.server_cpus.front()))
    return "--bypass needs a processor for each end: give it two, or name them with --cpus and "
           "--server-cpus";
  return {};
}

}  // namespace wiremark::tools
