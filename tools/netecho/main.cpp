// netecho: an echo server that says what every message cost.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/units.h"
#include "net/reactor.h"
#include "net/workers.h"
#include "netecho/run.h"
#include "netecho/staged.h"
#include "options.h"
#include "printing.h"
#include "realtime.h"
#include "report.h"
#include "report/csv.h"
#include "signals.h"
#include "startup_memory.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netecho                                  echo on 127.0.0.1:7007
  netecho --backend uring -t 2 --cpus 0,1  two pinned io_uring loops
  netecho '[::1]:0' --port-file port       any free port, written to a file
  netecho -f json                          check and answer messages in JSON
  netecho udp::7007                        answer every datagram to its sender
  netecho --model staged --tick 10ms       receive, process, send: 3 threads
  netecho unix:/tmp/echo.sock -d 10s --json=result.json
Measure it with: netload -c 100 -d 5s 127.0.0.1:7007)";

/// Memory that the process keeps after clients have gone: what a hundred had waiting at most.
constexpr std::size_t kMemoryKept = 32 << 20;

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

void add_options(CommandLine& line, EchoOptions& options) {
  line.add_operands(
          "LISTEN", options.listen,
          "HOST:PORT, :PORT, [IPV6]:PORT, udp:HOST:PORT or unix:PATH, one or more (:7007)")
      .check(net::Address::check_form);
  line.add(
      "-f,--format", options.protocol.format, "FORMAT",
      [](const std::string& text) { return parse_format(text, protocol_names()); },
      in_words(protocol_names()) +
          ": send back the bytes as they come, or decode, check and answer every message; "
          "sockperf serves that tool's client (raw)");
  line.add("--max-frame", options.protocol.limits.frame_size, "SIZE", parse_max_frame,
           "Longest message of a format; a longer one ends its connection (1M)");
  const Option model = line.add(
      "--model", options.stages.staged, "MODEL",
      [](const std::string& text) { return parse_model(text); },
      "loop or staged: each thread does everything, or one thread receives, one processes all "
      "connections in ticks and one sends (loop)");
  line.add(
          "--tick", options.stages.tick, "TIME",
          [](const std::string& text) { return parse_duration(text); },
          "staged: pause between two walks over all connections (500ms)")
      .needs(model);
  line.add(
          "--ring-size", options.stages.ring_size, "SIZE",
          [](const std::string& text) { return parse_ring_size(text); },
          "staged: bytes of each of a connection's two rings, a power of two; while one is full "
          "its connection is not read (16k)")
      .needs(model);
  add(line, options.backend);
  line.add(options.threads);
  line.add(options.time, "Stop after TIME (never)");
  line.add_output_file("--port-file", options.port_file,
                       "Write the port to FILE when ready to accept");
  line.add(
      "--gaps-fd", options.gaps_fd, "N", parse_descriptor,
      "Count how long the loops did not listen in the memory behind descriptor N, for the netload "
      "that started this (nowhere)");
  line.add(
      "--backlog", options.backlog, "N",
      [](const std::string& text) { return parse_whole(text, 1); },
      "Connections the kernel may hold before they are accepted (4096)");
  line.add(
      "--max-connections", options.max_connections, "N",
      [](const std::string& text) { return parse_whole(text, 1); },
      "Close connections over N at once, N shared out among the threads (no limit)");
  line.add("--max-memory", options.max_memory, "SIZE", parse_max_memory,
           "End those clients that hold most while more than SIZE, shared out among the threads, "
           "waits to be sent or for the rest of a message (1024M, or a quarter of the memory)");
  line.add("--idle-timeout", options.idle_timeout, "TIME", parse_idle_timeout,
           "End connections on which no byte moved for TIME (never)");
  line.add(options.output, report::csv_headers({report::RunResult()}));
  line.add_html(options.output);
  line.add_lines(options.output);
}

// Options that exclude each other, with the fix; empty if there are none.
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

// Opens the endpoints of a server: every thread listens at the same addresses, on its own reactor.
// The first thread resolves port 0 for the others. A Unix path cannot be bound several times, so
// the threads share one listener.
class Endpoints {
 public:
  explicit Endpoints(const EchoOptions& options) : options_(options) {
    static_cast<net::SocketOptions&>(how_) = options.backend.socket;
    how_.backlog = static_cast<int>(options.backlog);
    how_.share_port = options.threads.threads > 1;
  }

  Result<> open_on(auto& reactor) {
    const std::lock_guard lock(mutex_);
    if (bound_.empty()) {
      if (auto resolved = resolve(); !resolved) return resolved;
    }
    for (Endpoint& endpoint : bound_) {
      net::ListenOptions how = how_;
      how.listener = endpoint.listener ? endpoint.listener.get() : -1;
      auto bound = open(reactor, endpoint.address, how);
      if (!bound) return std::unexpected(bound.error());
      endpoint.address = *bound;
    }
    return {};
  }

  /// To be called when all threads have opened them.
  std::vector<net::Address> addresses() const {
    std::vector<net::Address> addresses;
    for (const Endpoint& endpoint : bound_) addresses.push_back(endpoint.address);
    return addresses;
  }

 private:
  struct Endpoint {
    net::Address address;
    Fd listener;  // Of a Unix path that is shared.
  };

  Result<> resolve() {
    std::vector<Endpoint> endpoints;
    for (const std::string& text : options_.listen) {
      auto address = net::Address::parse(text);
      if (!address) return std::unexpected(address.error());
      if (auto free = net::require_free(*address); !free) return free;
      Endpoint endpoint{*address, {}};
      if (address->is_unix() && how_.share_port) {
        auto listener = net::listen_on(*address, how_);
        if (!listener) return std::unexpected(listener.error());
        endpoint.listener = std::move(*listener);
      }
      endpoints.push_back(std::move(endpoint));
    }
    bound_ = std::move(endpoints);
    return {};
  }

  template <class R>
  static Result<net::Address> open(R& reactor, const net::Address& at,
                                   const net::ListenOptions& how) {
    if constexpr (net::Servers<R>) {
      if (at.is_udp()) return reactor.bind(at, how);
    }
    return reactor.listen(at, how);
  }

  const EchoOptions& options_;
  net::ListenOptions how_;
  std::mutex mutex_;
  std::vector<Endpoint> bound_;
};

Result<> write_port_file(const std::string& file, const net::Address& address) {
  if (file.empty()) return {};
  const std::string text = address.is_unix() ? address.path() : std::to_string(address.port());
  return replace_file(file, text + "\n");
}

// What the threads of a server share.
struct Serving {
  net::Backend backend;
  net::ReactorOptions reactor;
  Endpoints& endpoints;
  const net::Stop& stop;
  EchoRun& run;
};

Result<> begin_thread(const EchoOptions& options) {
  return options.backend.realtime ? become_realtime() : Result<>();
}

// Every thread receives, answers and sends.
net::Workers::Body loops(const EchoOptions& options, Serving& serving) {
  return [&](std::size_t i, const auto& ready) -> Result<> {
    if (auto may = begin_thread(options); !may) return may;
    return net::with_server(serving.backend, serving.reactor, [&](auto& reactor) -> Result<> {
      EchoCounts& counts = serving.run.counts(i);
      if (auto opened = serving.endpoints.open_on(reactor); !opened) return opened;
      Result<> ran;
      const auto made = with_protocol(options.protocol, reactor, counts, [&](auto& handler) {
        SegmentCounting counting(reactor, handler, serving.run.segments(i));
        ready();
        ran = reactor.run(counting, serving.stop);
        serving.run.segments(i).count(reactor);
        counts.reactor = reactor.stats();
        counts.datagrams_dropped = reactor.datagrams_dropped();
        counts.path = reactor.describe();
      });
      return ran ? made : ran;
    });
  };
}

// The first thread receives, the second answers and the third sends.
net::Workers::Body stages(const EchoOptions& options, Staged& staged, Serving& serving) {
  return [&](std::size_t i, const auto& ready) -> Result<> {
    if (auto may = begin_thread(options); !may) {
      if (i == 0) staged.receive_nothing();
      return may;
    }
    if (i > 0) {
      ready();
      return i == 1 ? staged.process(serving.stop) : staged.send();
    }
    auto received = net::with_streams(serving.backend, serving.reactor, [&](auto& reactor) {
      if (auto opened = serving.endpoints.open_on(reactor); !opened) return opened;
      ready();
      const Result<> ran = staged.receive(reactor, serving.stop);
      serving.run.counts(0).path = reactor.describe();
      return ran;
    });
    if (!received) staged.receive_nothing();
    return received;
  };
}

Result<> serve(const EchoOptions& options, net::Stop& stop, Signals& signals, EchoRun& run) {
  const auto backend = usable_backend("netecho", options.backend, options.output.quiet);
  if (!backend) return std::unexpected(backend.error());
  const std::size_t threads = options.threads.threads;
  if (auto allowed = net::require_descriptors(16 + 4 * threads); !allowed)
    return std::unexpected(allowed.error());

  Endpoints endpoints(options);
  Serving serving{*backend, options.backend.reactor, endpoints, stop, run};
  net::ReactorOptions& how = serving.reactor;
  if (options.gaps_fd >= 0) {
    auto gaps = SharedGaps::of(options.gaps_fd);
    if (!gaps) return std::unexpected(gaps.error());
    run.count_gaps_in(std::move(*gaps));
    how.heartbeat = net::kHeartbeat;
  }
  if (options.max_connections > 0)
    how.max_connections = (options.max_connections + threads - 1) / threads;
  how.memory_limit = std::max<std::size_t>(options.max_memory / threads, 1);
  how.memory_kept = kMemoryKept / threads;
  how.idle_timeout = options.idle_timeout;
  // The longest allowed message must fit the stash while it arrives.
  how.stash_limit = std::max(how.stash_limit, options.protocol.limits.frame_size + kHeaderMax);
  // Before a pause takes effect, io_uring may have received this much.
  if (options.stages.staged)
    how.stash_limit = std::max(how.stash_limit, how.buffers * how.buffer_size);
  run.start(*backend, threads, options.time.interval);
  std::optional<Staged> staged;
  if (options.stages.staged)
    staged.emplace(options.protocol, options.stages, run.counts(0), run.segments(0));
  net::Workers workers(staged ? Staged::kThreads : threads, options.threads.cpus, stop,
                       staged ? stages(options, *staged, serving) : loops(options, serving));
  if (auto ready = workers.wait_ready(); !ready) return ready;
  const std::vector<net::Address> bound = endpoints.addresses();
  if (!options.output.quiet) {
    for (const net::Address& address : bound) {
      print_err("netecho: listening on {} ({})\n", address.to_string(), net::to_string(*backend));
    }
  }
  give_back_startup_memory();
  // After the lines, so that they are there when the file is.
  if (auto written = write_port_file(options.port_file, bound.front()); !written) return written;
  run.watch(options, stop, signals);
  stop.request();
  auto ended = workers.join();
  if (staged) run.keep(staged->finish());
  for (const net::Address& address : bound) {
    if (address.is_unix()) ::unlink(address.path().c_str());
  }
  return ended;
}

}  // namespace

int main(int argc, char** argv) {
  EchoOptions options;
  options.max_memory = default_max_memory();
  CommandLine line("netecho",
                   "Echo server on epoll or io_uring: sends back what it receives and tells what\n"
                   "each message cost.",
                   kExamples);
  add_options(line, options);
  if (const auto exit = line.parse(argc, argv)) return *exit;
  if (const std::string_view wrong = conflict_in(options); !wrong.empty()) {
    print_err("netecho: {}\n", wrong);
    return kUsage;
  }
  keep_intervals(options.time, options.output);

  net::Stop stop;
  Signals signals(stop);
  EchoRun run;
  if (const auto served = serve(options, stop, signals, run); !served)
    return cannot("netecho", served.error());
  report::RunResult result = run.result(options, line.arguments());
  result.interrupted = signals.interrupted() && options.time.duration > 0;
  if (const auto written = tools::report(result, options.output); !written)
    return cannot("netecho", written.error());
  return ending("netecho", result.interrupted ? kInterrupted : kDone);
}
