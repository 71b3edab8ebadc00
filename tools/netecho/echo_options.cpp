// The options of netecho.
#include "netecho/echo_options.h"

#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/units.h"
#include "formats.h"
#include "net/address.h"
#include "report/csv.h"

namespace wiremark::tools {

namespace {

Result<bool> parse_model(const std::string& text) {
  if (text == "loop" || text == "staged") return text == "staged";
  return failed("'" + text + "' is not loop or staged", {}, 0);
}

Result<std::size_t> parse_ring_size(const std::string& text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (!std::has_single_bit(*size) || *size < 512 || *size > 16 << 20)
    return failed("'" + text + "' is not a power of two from 512 to 16M", {}, 0);
  return static_cast<std::size_t>(*size);
}

Result<std::size_t> parse_max_memory(const std::string& text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < 1 << 20) return failed("'" + text + "' is not a size of 1M or more", {}, 0);
  return static_cast<std::size_t>(*size);
}

Result<Nanoseconds> parse_idle_timeout(const std::string& text) {
  const auto time = parse_duration(text);
  if (time && *time < kMillisecond)
    return failed("'" + text + "' is not a time of 1ms or more", {}, 0);
  return time;
}

}  // namespace

std::size_t default_max_memory() {
  constexpr std::size_t kMost = 1 << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return kMost;
  return std::min(kMost, static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_size) / 4);
}

bool EchoOptions::has_udp() const {
  return std::ranges::any_of(
      listen, [](const std::string& address) { return address.starts_with("udp:"); });
}

void add_options(CommandLine& line, EchoOptions& options) {
  line.add_operands(
          "LISTEN", options.listen,
          "HOST:PORT, :PORT, [IPV6]:PORT, udp:HOST:PORT or unix:PATH, one or more (:7007)")
      .check(net::Address::check_form);
  line.add(options.family);
  line.add(
      "-f,--format", options.protocol.format, "FORMAT",
      [](const std::string& text) { return parse_format(text, protocol_names()); },
      in_words(protocol_names()) +
          ": send back the bytes as they come, or decode, check and answer every message; "
          "sockperf serves that tool's client (raw)");
  line.add("--max-frame", options.protocol.limits.frame_size, "SIZE", parse_max_frame,
           "Longest message of a format; a longer one ends its connection (1M)");
  const Option model = line.add(
      "--model", options.stages.staged, "MODEL", parse_model,
      "loop or staged: each thread does everything, or one thread receives, one processes all "
      "connections in ticks and one sends (loop)");
  line.add("--tick", options.stages.tick, "TIME", parse_duration,
           "staged: pause between two walks over all connections (500ms)")
      .needs(model);
  line.add("--ring-size", options.stages.ring_size, "SIZE", parse_ring_size,
           "staged: bytes of each of a connection's two rings, a power of two; while one is full "
           "its connection is not read (16k)")
      .needs(model);
  add(line, options.backend);
  line.add(options.threads);
  line.add(options.time, "Stop after TIME (never)");
  line.add_output_file("--port-file", options.port_file,
                       "Write the port to FILE when ready to accept", Links::replaced);
  line.add(
      "--gaps-fd", options.gaps_fd, "N", parse_descriptor,
      "Count how long the loops did not listen in the memory behind descriptor N, for the netload "
      "that started this (nowhere)");
  line.add("--backlog", options.backlog, "N", parse_positive,
           "Connections the kernel may hold before they are accepted (4096)");
  line.add("--max-connections", options.max_connections, "N", parse_positive,
           "Close connections over N at once, N shared out among the threads (no limit)");
  line.add("--max-memory", options.max_memory, "SIZE", parse_max_memory,
           "End those clients that hold most while more than SIZE, shared out among the threads, "
           "waits to be sent or for the rest of a message (1024M, or a quarter of the memory)");
  line.add("--idle-timeout", options.idle_timeout, "TIME", parse_idle_timeout,
           "End connections on which no byte moved for TIME (never)");
  line.add(options.output, [] { return report::csv_headers({report::RunResult()}); });
  line.add_html(options.output);
  line.add_lines(options.output);
}

std::string_view conflict_in(const EchoOptions& options) {
  if (!options.stages.staged) return {};
  if (options.threads.threads > 1)
    return "--model staged has its three threads; leave --threads out";
  if (options.gaps_fd >= 0) return "--model staged counts no gaps; leave --gaps-fd out";
  if (options.backend.reactor.uring.direct)
    return "--model staged sends to sockets that have descriptors; leave --uring direct out";
  if (options.has_udp())
    return "--model staged has a buffer for each connection, and UDP has none: leave udp: or "
           "--model out";
  return {};
}

}  // namespace wiremark::tools
