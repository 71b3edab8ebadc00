// The options of netload and its command line.
#include "netload/load_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/cpus.h"
#include "base/list.h"
#include "base/units.h"
#include "formats.h"
#include "measure/quantity.h"
#include "measure/ratio.h"
#include "report/csv.h"

namespace wiremark::tools {

namespace {

// The default of --timeout. After this long a stream is stuck, and a datagram was lost on its way.
constexpr Nanoseconds kStreamTimeout = 5 * kSecond;
constexpr Nanoseconds kRoundLength = 2 * kSecond;
constexpr unsigned kRounds = measure::kPairedRoundsMin;
constexpr Nanoseconds kDatagramTimeout = kSecond;
// The default of --size with --bypass.
constexpr std::size_t kBypassSize = 64;

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

Result<load::Share> parse_share(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_whole(text.substr(0, slash), 0);
  const auto of = slash == std::string::npos ? index : parse_whole(text.substr(slash + 1), 1);
  if (slash == std::string::npos || !index || !of || *index >= *of) {
    return failed("'" + text + "' is not a share such as 0/4, the first of four, or 3/4, the last",
                  {}, 0);
  }
  return load::Share{*index, *of};
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

// A target, with a scheme such as http:// or without.
Result<> check_target(const std::string& text) {
  load::CustomOptions ignored;
  const auto address = load::take_scheme(text, ignored);
  if (!address) return std::unexpected(address.error());
  return net::Address::check_form(*address);
}

Result<Comparands> parse_comparands(const std::string& list) {
  Comparands compared;
  for (const std::string_view name : split_list(list)) {
    if (name.find_first_of(":/") != name.npos) {
      if (const auto form = check_target(std::string(name)); !form)
        return std::unexpected(form.error());
      compared.targets.emplace_back(name);
      continue;
    }
    const auto backend = net::parse_backend(name);
    if (!backend) return std::unexpected(backend.error());
    compared.backends.push_back(*backend);
  }
  if (!compared.backends.empty() && !compared.targets.empty())
    return failed("backends are not compared with targets: name those of one kind", {}, 0);
  return compared;
}

// What is said of servers that are no netecho.
void add_custom_options(CommandLine& line, load::CustomOptions& custom) {
  const auto optional_text = [](const std::string& text) -> Result<std::optional<std::string>> {
    return text;
  };
  line.add_texts("--send", custom.send, "TEXT|@FILE",
                 "A request, in place of raw messages: with the escapes of C, and %{n}, %{conn}, "
                 "%{random:N} and %{id} filled in; given again, requests are sent in turn")
      .check(load::check_request);
  line.add_text("--send-lines", custom.send_lines, "@FILE",
                "Requests as --send has them, one per line of FILE");
  line.add_text("--reply", custom.reply, "FORM",
                "Where a reply ends: echo, size:N, until:TEXT, line, u32 and its like (u8 to u64, "
                "le or be, @OFFSET, +N or -N), varint, http, resp, memcached, datagram, none "
                "(echo; by the target; over UDP datagram)")
      .check(load::check_reply);
  line.add("--expect", custom.expect, "WHAT", optional_text,
           "Compare replies: same, with the first; TEXT, with how they begin; @FILE, with all of "
           "them; of HTTP status and body (not compared)");
  line.add_text("--greeting", custom.greeting, "FORM",
                "The server speaks first, and its greeting ends so, such as until:TEXT (it does "
                "not)")
      .check(load::check_reply);
  line.add_text("--method", custom.method, "NAME",
                "Method of an HTTP request (GET; POST with a "
                "body)");
  line.add_texts("--header", custom.headers, "LINE",
                 "Header of an HTTP request, 'Name: value' "
                 "(Host)");
  line.add("--body", custom.body, "TEXT|@FILE", optional_text, "Body of an HTTP request (none)");
}

// Whether a request waits for the reply to the one before, unless --pipeline says otherwise: few
// servers take HTTP otherwise, and what was sent behind the last one of a connection is lost.
bool takes_turns(const LoadOptions& options, bool datagrams) {
  const load::CustomOptions& custom = options.exchange.custom;
  const std::string reply = load::reply_of(custom, datagrams);
  if (reply == load::kOneWay) return false;
  return datagrams ? !load::has_ids(custom) : reply == "http";
}

// What does not go with a server that is no netecho. A usage error is returned as text.
std::string unfit_for_custom(const LoadOptions& options, bool datagrams) {
  const std::string reply = load::reply_of(options.exchange.custom, datagrams);
  const bool echoed = reply == "echo", one_way = reply == load::kOneWay;
  if (options.target.empty() && !echoed)
    return "name your server as TARGET: the netecho that netload starts only echoes";
  if (datagrams && options.pipeline > 1 && !one_way && !load::has_ids(options.exchange.custom))
    return "replies over UDP are told apart by %{id} in each --send: without it, leave --pipeline "
           "out";
  return {};
}

// Output of single runs, asked of a tool that makes many.
std::string single_runs_only(const LoadOptions& options, const std::string& flag) {
  if (options.output.json_lines) return "--json-lines takes single runs: use --json with " + flag;
  if (!options.latency.hgrm.empty()) return "--hgrm takes single runs, and " + flag + " makes many";
  if (!options.latency.hdr_log.empty())
    return "--hdr-log takes single runs, and " + flag + " makes many";
  if (options.start_at > 0) return "--start-at takes single runs, and " + flag + " makes many";
  if (options.start_fd >= 0) return "--start-fd takes single runs, and " + flag + " makes many";
  if (options.share.of > 1) return "--share takes single runs, and " + flag + " makes many";
  return {};
}

// The flag that asks for many runs; empty if there is none.
std::string asks_for_many(const LoadOptions& options) {
  if (!options.compare.empty()) return "--compare";
  if (options.find_max) return "--find-max";
  return options.bypass ? "--bypass" : "";
}

// Options that do not go with --bypass, which decides them itself. Returns a usage error as text.
std::string unfit_for_bypass(const LoadOptions& options) {
  if (options.rate_hz + options.total_rate_hz > 0)
    return "--bypass sends the next message when the reply is there: leave the rate out";
  if (options.requests > 0) return "-n counts the messages of one run: give --bypass a -d";
  if (load::is_custom(options.exchange)) return "--bypass sends raw messages: leave --send out";
  if (load::is_framed(options.exchange)) return "--bypass sends raw messages: leave -f out";
  const auto& size = options.exchange.size;
  if (size && size->min != size->max) return "--bypass takes one --size, not a range";
  if (options.pipeline > 1) return "--bypass has one message in flight: leave --pipeline out";
  if (options.churn > 0) return "--bypass keeps its connections: leave --churn out";
  if (options.threads.threads > 1) return "--bypass has one thread at each end: leave -t out";
  return {};
}

// Options that have no meaning over UDP. Returns a usage error as text.
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

// Options that do not go with --backend xdp. Returns a usage error as text.
std::string unfit_for_xdp(const LoadOptions& options) {
  if (options.threads.threads > 1)
    return "--backend xdp has one thread for all receive queues: leave -t out";
  if (options.sources.size() > 1)
    return "--backend xdp asks from one address: give --source-ip one";
  return {};
}

// Checks the targets that are compared. A usage error is returned as text.
std::string complete_targets(LoadOptions& options) {
  if (!options.target.empty()) return "--compare names its targets: leave TARGET out";
  if (options.find_max || options.bypass)
    return "--compare, --find-max and --bypass do not go together";
  if (!options.server_cpus.empty() || options.server_pid > 0)
    return "--server-cpus and --server-pid are of one server: leave them out";
  if (std::string wrong = single_runs_only(options, "--compare"); !wrong.empty()) return wrong;
  for (const std::string& target : options.compare.targets) {
    LoadOptions one = for_target(options, target);
    if (std::string wrong = complete(one); !wrong.empty()) return target + ": " + wrong;
  }
  if (options.rounds == 0) options.rounds = kRounds;
  return {};
}

}  // namespace

void add_options(CommandLine& line, LoadOptions& options) {
  const auto whole = [](const std::string& text) { return parse_whole(text, 1); };
  const auto count = [](const std::string& text) { return parse_count(text); };
  const auto time = [](const std::string& text) { return parse_duration(text); };
  line.add_operand(
          "TARGET", options.target,
          "HOST:PORT, :PORT, [IPV6]:PORT, udp:HOST:PORT or unix:PATH; or http://, redis:// "
          "or memcached://HOST[:PORT] (starts a netecho)")
      .check(check_target);
  add_custom_options(line, options.exchange.custom);
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
           "Longest message of a format, or reply as --reply has it (1M)");
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
  const Option start_at =
      line.add("--start-at", options.start_at, "UNIXTIME", parse_start_at,
               "Send the first message at this second since 1970, so that several netloads start "
               "together (at once)");
  line.add("--start-fd", options.start_fd, "N", parse_descriptor,
           "Say 'ready' on descriptor N when the connections are open, and read there at which "
           "second since 1970 to start, for the launcher that started this (none)")
      .excludes(start_at);
  line.add("--share", options.share, "I/N", parse_share,
           "Be part I, from 0, of N netloads that are one load together: every N-th connection of "
           "it, and their part of its plan (0/1)");
  line.add(
      "--max-errors", options.errors_max, "N",
      [](const std::string& text) { return parse_whole(text, 0); },
      "Exit with 4 when more connections fail (0)");
  line.add_flag("--strict", options.strict, "Exit with 1 unless the verdict is VALID");
  line.add(
      "--seed", options.exchange.seed, "N",
      [](const std::string& text) { return parse_whole(text, 0); },
      "Seed of what the messages hold and of Poisson arrivals (1)");
  add(line, options.backend);
  line.add(options.threads);
  line.add("--compare", options.compare, "LIST", parse_comparands,
           "Run the load on a netecho of each backend in turn, such as epoll,uring, or on each of "
           "several targets, such as :7001,:7002, and print one table");
  line.add_flag(
          "--bypass", options.bypass,
          "Show what bypassing the kernel could save here: one message over TCP asleep and "
          "spinning, over a Unix socket and through shared memory, a server under load, and, as "
          "root, UDP through the kernel and over AF_XDP")
      .excludes(line.option("--wait"));
  line.add("--rounds", options.rounds, "N", whole, "Rounds of --compare and --bypass (6)");
  line.add(
      "--server-cpus", options.server_cpus, "LIST",
      [](const std::string& text) { return parse_cpus(text); },
      "Pin the netecho that netload starts (the last processor; the client then takes the first)");
  line.add("--server-pid", options.server_pid, "PID", whole,
           "Process whose CPU time the run fetches (found by address)");
  line.add(options.output, report::csv_headers({report::RunResult(), report::Comparison(),
                                                report::MaxRate(), report::Bypass()}));
  line.add_html(options.output);
  line.add_lines(options.output);
  line.add_colour(options.output);
  line.add_progress(options.output);
  line.add(options.latency);
}

LoadOptions for_target(const LoadOptions& options, const std::string& target) {
  LoadOptions one = options;
  one.target = target;
  one.compare = {};
  one.rounds = 0;
  if (one.time.duration == 0 && one.requests == 0) one.time.duration = kRoundLength;
  return one;
}

bool over_udp(const LoadOptions& options) { return options.target.starts_with("udp:"); }

std::string complete(LoadOptions& options) {
  if (!options.compare.targets.empty()) return complete_targets(options);
  if (auto address = load::take_scheme(options.target, options.exchange.custom))
    options.target = *address;
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
  if (options.rounds == 0) options.rounds = kRounds;
  if (!starts_server && !options.server_cpus.empty())
    return "--server-cpus pins a netecho that netload starts: leave TARGET out";
  net::ReactorOptions& reactor = options.backend.reactor;
  reactor.receive_timestamps =
      options.receive_timestamps.value_or(reactor.wait.mode == net::WaitPolicy::Mode::batch);
  if (options.sources.size() > 0 && options.target.starts_with("unix:"))
    return "--source-ip is for TCP: a Unix path has no source address";
  if (starts_server && options.server_pid > 0) return "--server-pid needs a TARGET";
  if (starts_server && options.share.of > 1)
    return "--share is for several netloads on one server: name it as TARGET";
  if (options.share.of > options.connections)
    return fmt::format("--share: {} are too few for {} netloads",
                       measure::format_counted(options.connections, "connection"),
                       options.share.of);
  options.exchange.verify = !options.no_verify;
  const bool datagrams = over_udp(options);
  if (std::string wrong = load::conflict_in(options.exchange, datagrams); !wrong.empty())
    return wrong;
  const bool custom = load::is_custom(options.exchange);
  if (std::string wrong; custom && !(wrong = unfit_for_custom(options, datagrams)).empty())
    return wrong;
  if (custom && options.pipeline == 0 && takes_turns(options, datagrams)) options.pipeline = 1;
  if (std::string wrong; options.bypass && !(wrong = unfit_for_bypass(options)).empty())
    return wrong;
  if (options.bypass && !options.exchange.size)
    options.exchange.size = load::SizeRange{kBypassSize, kBypassSize};
  if (std::string wrong; datagrams && !(wrong = unfit_for_udp(options)).empty()) return wrong;
  if (std::string wrong;
      options.backend.backend == net::Backend::xdp && !(wrong = unfit_for_xdp(options)).empty())
    return wrong;
  if (options.timeout == kNever) options.timeout = datagrams ? kDatagramTimeout : kStreamTimeout;
  const bool open_loop = options.find_max || options.rate_hz + options.total_rate_hz > 0;
  if (options.poisson && !open_loop) return "--arrival needs a rate: -r or -R";
  if (options.latency_from_send && !open_loop) return "--latency-from needs a rate: -r or -R";
  if (options.time.duration == 0 && options.requests == 0)
    options.time.duration = options.bypass ? kSecond / 2
                            : many.empty() ? 10 * kSecond
                                           : kRoundLength;
  if (many.empty()) keep_intervals(options.time, options.output);
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
