// The threads of netecho, from the first listener to the last answer.
#include "netecho/serve.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "net/reactor.h"
#include "net/workers.h"
#include "netecho/endpoints.h"
#include "netecho/staged.h"
#include "printing.h"
#include "realtime.h"
#include "startup_memory.h"

namespace wiremark::tools {

namespace {

/// Memory that the process keeps after clients have gone: what a hundred had waiting at most.
constexpr std::size_t kMemoryKept = 32 << 20;

Result<> write_port_file(const std::string& file, const net::Address& address) {
  if (file.empty()) return {};
  const std::string text = address.is_unix() ? address.path() : std::to_string(address.port());
  return replace_file(file, text + "\n", Links::replaced);
}

// The reactor of each thread, with its part of what all may hold.
net::ReactorOptions each_of(std::size_t threads, const EchoOptions& options) {
  net::ReactorOptions how = options.backend.reactor;
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
  return how;
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

}  // namespace

Result<> serve(const EchoOptions& options, net::Stop& stop, Signals& signals, EchoRun& run) {
  const auto backend = usable_backend("netecho", options.backend, options.output.quiet);
  if (!backend) return std::unexpected(backend.error());
  const std::size_t threads = options.threads.threads;
  if (auto allowed = net::require_descriptors(own_descriptors(threads)); !allowed)
    return std::unexpected(allowed.error());

  Endpoints endpoints(options);
  Serving serving{*backend, each_of(threads, options), endpoints, stop, run};
  if (options.gaps_fd >= 0) {
    auto gaps = SharedGaps::of(options.gaps_fd);
    if (!gaps) return std::unexpected(gaps.error());
    run.count_gaps_in(std::move(*gaps));
    serving.reactor.heartbeat = net::kHeartbeat;
  }
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

}  // namespace wiremark::tools
