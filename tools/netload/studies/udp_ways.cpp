// UDP through the kernel and past it, for netload --bypass: on veth, with a server for each run.
#include "netload/studies/udp_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "measure/quantity.h"
#include "net/reactor.h"
#include "netload/studies/server_process.h"
#include "netload/studies/veth_pair.h"
#include "report/verdict.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

// How long a datagram may take until it is lost: a closed loop waits for it.
constexpr Nanoseconds kPatience = 100 * kMillisecond;

struct Entry {
  const char* name;
  bool past;  // The kernel, by AF_XDP.
  bool spins;
  unsigned connections;
  unsigned pipeline;
};

constexpr Entry kEntries[] = {
    {report::kUdpAsleep, false, false, 1, 1}, {report::kUdpSpinning, false, true, 1, 1},
    {report::kXdpSpinning, true, true, 1, 1}, {report::kUdpFlows, false, false, 64, 1},
    {report::kXdpFlows, true, false, 64, 1},  {report::kUdpGathered, false, false, 1, 256},
};

// Why these messages cannot go over UDP in one frame; empty where they can.
std::string unfit(const LoadOptions& options) {
  const auto& size = *options.exchange.size;
  if (std::string wrong = load::conflict_in(options.exchange, true); !wrong.empty()) return wrong;
  if (size.max <= VethPair::kMessageMax) return {};
  return fmt::format("a message of {} is longer than a frame, which holds {}",
                     measure::format_counted(size.max, "byte"), VethPair::kMessageMax);
}

Result<report::RunResult> once(const VethPair& pair, const Entry& entry, LoadOptions load,
                               net::Backend kernel, const std::vector<std::string>& arguments,
                               const net::Stop& stop, Signals& signals) {
  const net::Backend backend = entry.past ? net::Backend::xdp : kernel;
  load.output.progress = "off";
  load.backend.backend = backend;
  load.backend.reactor.uring = {};
  load.backend.reactor.wait.mode =
      entry.spins ? net::WaitPolicy::Mode::spin : net::WaitPolicy::Mode::block;
  load.connections = entry.connections;
  load.pipeline = entry.pipeline;
  load.timeout = kPatience;
  load.target = std::string("udp:") + VethPair::kServer;
  const auto started = [&] {
    const auto there = pair.inside_server();
    return ServerProcess::start(load, backend, ServerProcess::Listen::veth);
  }();
  if (!started) return std::unexpected(started.error());
  const auto there = pair.inside_client();
  auto result = run_load(load, backend, started->target(), arguments, stop, signals);
  if (result) report::pass_verdict(*result);
  return result;
}

}  // namespace

UdpWays measure_udp_ways(const LoadOptions& options, net::Backend kernel,
                         const std::vector<std::string>& arguments, const net::Stop& stop,
                         Signals& signals) {
  if (std::string wrong = unfit(options); !wrong.empty()) return {.not_tried = std::move(wrong)};
  if (const auto can = net::choose_backend(net::Backend::xdp); !can)
    return {.not_tried = can.error().message()};
  const auto pair = VethPair::make();
  if (!pair) return {.not_tried = pair.error().message()};
  UdpWays measured;
  for (const Entry& entry : kEntries) measured.ways.push_back({entry.name, entry.connections, {}});
  const bool progress = wants_progress(options.output.progress, options.output.quiet);
  const auto ends = [&] { return stop.requested() || measured.failed; };
  for (unsigned round = 0; round < options.rounds && !ends(); ++round) {
    for (std::size_t i = 0; i < std::size(kEntries) && !ends(); ++i) {
      // The order rotates, so that none is always first.
      const std::size_t place = (i + round) % std::size(kEntries);
      if (progress)
        draw_progress(
            fmt::format("round {} of {}: {}", round + 1, options.rounds, kEntries[place].name));
      auto result = once(*pair, kEntries[place], options, kernel, arguments, stop, signals);
      if (result)
        measured.ways[place].rounds.push_back(std::move(*result));
      else
        measured.failed = {kEntries[place].name, round + 1, result.error().message()};
    }
  }
  if (progress) wipe_progress();
  if (measured.failed && measured.failed->round == 1)
    return {.not_tried = std::move(measured.failed->reason)};
  std::erase_if(measured.ways, [](const report::Way& way) { return way.rounds.empty(); });
  return measured;
}

}  // namespace wiremark::tools
