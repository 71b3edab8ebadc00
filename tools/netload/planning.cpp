// What the user's options come to: the plan of a load, and what it sends.
#include "netload/planning.h"

#include <algorithm>

namespace wiremark::tools {

namespace {

// All that is planned, the warm-up first. It has no limit of its own where only requests are given.
Schedule make_schedule(const LoadPlan& plan, const LoadOptions& options) {
  const Nanoseconds length = plan.duration > 0 ? plan.warmup + plan.duration : kNever;
  const auto within = [&](Nanoseconds end, std::uint64_t places) {
    return options.poisson
               ? Schedule::poisson(plan.connections, plan.rate_hz, end, places, options.seed)
               : Schedule(plan.connections, plan.rate_hz, end, places);
  };
  if (plan.requests == 0) return within(length, UINT64_MAX);
  return within(length, within(plan.warmup, UINT64_MAX).places() + plan.requests);
}

}  // namespace

LoadPlan plan_load(const LoadOptions& options, const net::Address& target) {
  LoadPlan plan;
  plan.target = target;
  plan.socket = options.backend.socket;
  plan.sources = options.sources.size() > 0 ? options.sources
                                            : net::Sources::spread(target, options.connections);
  plan.connections = options.connections;
  plan.threads = std::min<std::size_t>(options.threads.threads, options.connections);
  plan.rate_hz =
      options.total_rate_hz > 0 ? options.total_rate_hz / options.connections : options.rate_hz;
  plan.pipeline = options.pipeline > 0 ? options.pipeline : plan.open_loop() ? 16 : 1;
  plan.requests = static_cast<std::uint64_t>(options.requests);
  plan.duration = options.time.duration;
  plan.warmup = options.warmup;
  plan.timeout = options.timeout;
  if (plan.open_loop()) plan.schedule = make_schedule(plan, options);
  plan.churn = options.churn;
  plan.reconnect = options.reconnect;
  plan.connect_rate_hz = options.connect_rate_hz;
  if (const auto& wait = options.backend.reactor.wait; wait.mode == net::WaitPolicy::Mode::batch)
    plan.gather = wait.time_ns;
  return plan;
}

Result<TrafficPlan> plan_traffic(const LoadOptions& options) {
  TrafficPlan traffic;
  traffic.format = options.format;
  traffic.seed = options.seed;
  traffic.verify = !options.no_verify;
  traffic.limits.frame_size = options.max_frame;
  if (options.format == kRaw) {
    traffic.pattern.emplace(options.seed, options.size.min, options.size.max);
  } else if (auto added = add_contents(traffic, options.input); !added) {
    return std::unexpected(added.error());
  }
  return traffic;
}

}  // namespace wiremark::tools
