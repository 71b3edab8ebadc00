// The flags of netload, and how their texts are read.
#include <cmath>

#include "base/cpus.h"
#include "base/list.h"
#include "base/units.h"
#include "formats.h"
#include "netload/launcher.h"
#include "netload/load_options.h"
#include "report/csv.h"

namespace wiremark::tools {

namespace {

Result<unsigned> parse_natural(const std::string& text) { return parse_whole(text, 0); }

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
  const double ahead = seconds ? *seconds - clock_of_day() : -1;
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
  line.reads_behind_at(line.option("--send"));
  const Option lines = line.add_text("--send-lines", custom.send_lines, "@FILE",
                                     "Requests as --send has them, one per line of FILE");
  line.reads(lines);
  line.reads_behind_at(lines);
  line.add_text("--reply", custom.reply, "FORM",
                "Where a reply ends: echo, size:N, until:TEXT, line, u32 and its like (u8 to u64, "
                "le or be, @OFFSET, +N or -N), varint, " +
                    load::known_replies() +
                    ", dns, datagram, none (echo; by the target; over UDP datagram, or dns where "
                    "that is asked)")
      .check(load::check_reply);
  line.add("--expect", custom.expect, "WHAT", optional_text,
           "Compare replies: same, with the first; TEXT, with how they begin; @FILE, with all of "
           "them; of HTTP status and body (not compared)");
  line.add_text("--expect-status", custom.expect_status, "LIST",
                "Statuses of HTTP that are no errors, such as 404, or 200,3xx: any other is one "
                "(those below 400)")
      .check(load::check_statuses);
  line.add_text("--greeting", custom.greeting, "FORM",
                "The server speaks first, and its greeting ends so, such as until:TEXT (it does "
                "not)")
      .check(load::check_reply);
  line.add_text("--method", custom.method, "NAME",
                "Method of an HTTP request (GET; POST with a body)")
      .check(load::check_method);
  line.add_texts("--header", custom.headers, "LINE",
                 "Header of an HTTP request, 'Name: value' (Host)")
      .check(load::check_header);
  line.reads_behind_at(line.option("--expect"));
  line.reads_behind_at(line.add("--body", custom.body, "TEXT|@FILE", optional_text,
                                "Body of an HTTP request (none)"));
}

// What is sent, how often and for how long.
void add_messages(CommandLine& line, LoadOptions& options) {
  line.add("-c,--connections", options.connections, "N", parse_positive, "Connections (100)");
  const Option rate =
      line.add("-r,--rate", options.rate_hz, "N", parse_count,
               "Messages per second of each connection: an open loop, where every message has a "
               "planned time; 0 is a closed loop, where each reply brings the next message (0)");
  line.add("-R,--total-rate", options.total_rate_hz, "N", parse_count,
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
      "-P,--pipeline", options.pipeline, "N", parse_positive,
      "Messages of one connection under way at most (1 in a closed loop, 16 with a rate; over UDP "
      "then as many as are sent in a --timeout)");
  line.add(options.time, "Length of the measured part (10s; 2s a round or probe; none with -n)");
  line.add("-w,--warmup", options.warmup, "TIME", parse_duration,
           "Run this long first, and leave it out of every figure (0)");
}

// How connections and messages come, and how long is waited for them.
void add_connections(CommandLine& line, LoadOptions& options) {
  line.add("--connect-rate", options.connect_rate_hz, "N", parse_count,
           "Connections opened per second (as fast as they open)");
  line.add("--arrival", options.poisson, "HOW", parse_arrival,
           "With a rate: even, or poisson, where the gaps between messages are random (even)");
  line.add("--churn", options.churn, "N", parse_positive,
           "Close each connection after N messages and open another (never)");
  line.add_flag(
      "--reconnect", options.reconnect,
      "Open connections again that fail before they had a reply, or for a wrong one, every "
      "100 ms until they open");
  line.add(
      "--source-ip", options.sources, "LIST", net::Sources::parse,
      "Addresses that connections come from in turn, such as 127.0.0.2-127.0.0.9 (the kernel's "
      "choice; on loopback, spread where one address has too few ports)");
  line.add("--timeout", options.timeout, "TIME", parse_duration,
           "End a connection whose reply takes longer, and a run when none opens for so long; "
           "0 is never; over UDP, count the message as lost (5s; 1s)");
}

// What replies and latencies are held against.
void add_judgement(CommandLine& line, LoadOptions& options) {
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
}

// For a load that several netloads are together.
void add_sharing(CommandLine& line, LoadOptions& options) {
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
}

// What takes many runs, and the server that a run starts or watches.
void add_studies(CommandLine& line, LoadOptions& options) {
  line.add("--compare", options.compare, "LIST", parse_comparands,
           "Run the load on a netecho of each backend in turn, such as epoll,uring, or on each of "
           "several targets, such as :7001,:7002, and print one table");
  line.add_flag(
          "--bypass", options.bypass,
          "Show what bypassing the kernel could save here: one message over TCP asleep and "
          "spinning, over a Unix socket and through shared memory, a server under load, and, as "
          "root, UDP through the kernel and over AF_XDP")
      .excludes(line.option("--wait"));
  line.add("--rounds", options.rounds, "N", parse_positive, "Rounds of --compare and --bypass (6)");
  line.add(
      "--server-cpus", options.server_cpus, "LIST", parse_cpus,
      "Pin the netecho that netload starts (the last processor; the client then takes the first)");
  line.add("--server-pid", options.server_pid, "PID", parse_positive,
           "Process whose CPU time the run fetches (found by address)");
}

}  // namespace

void add_options(CommandLine& line, LoadOptions& options) {
  line.add_operand(
          "TARGET", options.target,
          "HOST:PORT, :PORT, [IPV6]:PORT, udp:HOST:PORT or unix:PATH; or HOST[:PORT] behind " +
              load::known_schemes() + " (starts a netecho)")
      .check(check_target);
  line.add(options.family);
  add_custom_options(line, options.exchange.custom);
  add_messages(line, options);
  add_connections(line, options);
  add_judgement(line, options);
  add_sharing(line, options);
  line.add("--max-errors", options.errors_max, "N", parse_natural,
           "Exit with 4 when more connections fail (0)");
  line.add_flag("--strict", options.strict, "Exit with 1 unless the verdict is VALID");
  line.add("--seed", options.exchange.seed, "N", parse_natural,
           "Seed of what the messages hold and of Poisson arrivals (1)");
  add(line, options.backend);
  line.add(options.threads);
  add_studies(line, options);
  line.add(options.output, [] {
    return report::csv_headers(
        {report::RunResult(), report::Comparison(), report::MaxRate(), report::Bypass()});
  });
  line.add_html(options.output);
  line.add_lines(options.output);
  line.add_colour(options.output);
  line.add_progress(options.output);
  line.add(options.latency);
}

}  // namespace wiremark::tools
