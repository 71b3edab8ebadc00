// Makes the plan of a load from the user's options.
#include "netload/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/quantity.h"

namespace wiremark::tools {

namespace {

// Messages under way, of all connections: what remembers them takes 16 bytes each, over UDP 48.
constexpr double kUnderWayMax = 0x1p26;
// Poisson arrivals are drawn before the first is sent, 13 ns each, and kept in half a byte.
constexpr double kPoissonMax = 0x1p30;
// Messages of one connection are numbered in 32 bits.
constexpr double kSequenceMax = 0x1p32;

// Whether a plan of so many messages fits the memory and numbers that it is kept in.
Result<> require_room(const load::Plan& plan, double messages, bool poisson) {
  const auto connections = static_cast<double>(plan.connections);
  if (poisson && messages > kPoissonMax) {
    return failed(fmt::format("{:.3g} messages are too many for --arrival poisson, which plans at "
                              "most {:.3g} before the first is sent: take a shorter -d, a lower "
                              "rate, or --arrival even",
                              messages, kPoissonMax),
                  {}, 0);
  }
  if (messages / connections > kSequenceMax) {
    return failed(fmt::format("{:.3g} messages are over {:.3g} for each connection: take more "
                              "connections, a shorter -d or a lower rate",
                              messages, kSequenceMax),
                  {}, 0);
  }
  return {};
}

// The plan of everything, the warm-up first. If only a number of requests is given, time is
// unlimited.
Result<load::Schedule> make_schedule(const load::Plan& plan, const LoadOptions& options) {
  const Nanoseconds length = plan.duration > 0 ? plan.warmup + plan.duration : kNever;
  const double all_hz = plan.rate_hz * static_cast<double>(plan.connections);
  double messages = all_hz * static_cast<double>(length) / kSecond;
  if (plan.requests > 0) {
    const double warming = all_hz * static_cast<double>(plan.warmup) / kSecond;
    messages = std::min(messages, warming + static_cast<double>(plan.requests));
  }
  if (auto room = require_room(plan, messages, options.poisson); !room)
    return std::unexpected(room.error());
  const auto within = [&](Nanoseconds end, std::uint64_t places) {
    return options.poisson ? load::Schedule::poisson(plan.connections, plan.rate_hz, end, places,
                                                     options.exchange.seed)
                           : load::Schedule(plan.connections, plan.rate_hz, end, places);
  };
  if (plan.requests == 0) return within(length, UINT64_MAX);
  return within(length, within(plan.warmup, UINT64_MAX).places() + plan.requests);
}

unsigned default_pipeline(const load::Plan& plan, bool datagrams) {
  constexpr unsigned kOpenLoop = 16;
  if (!plan.open_loop()) return 1;
  if (!datagrams) return kOpenLoop;
  // Room for all messages that are sent until a lost one is given up, plus an eighth until that is
  // noticed: then lost datagrams hold up no others. Random arrivals may need more.
  const double timeout_s = static_cast<double>(plan.timeout) / kSecond;
  const double needed = std::min(plan.rate_hz * timeout_s * 1.25 + 1, kUnderWayMax);
  return std::max(kOpenLoop, static_cast<unsigned>(needed));
}

}  // namespace

Result<load::Plan> plan_load(const LoadOptions& options, const net::Address& target) {
  load::Plan plan;
  plan.target = target;
  plan.connections = options.connections;
  plan.share = options.share;
  const std::size_t own = plan.own_connections();
  plan.socket = options.backend.socket;
  plan.sources = options.sources.size() > 0 ? options.sources : net::Sources::spread(target, own);
  plan.threads = std::min<std::size_t>(options.threads.threads, own);
  plan.rate_hz =
      options.total_rate_hz > 0 ? options.total_rate_hz / options.connections : options.rate_hz;
  plan.timeout = options.timeout;
  plan.timed_from_send = options.latency_from_send;
  plan.pipeline =
      options.pipeline > 0 ? options.pipeline : default_pipeline(plan, over_udp(options));
  if (plan.pipeline > 1 && static_cast<double>(own) * plan.pipeline > kUnderWayMax) {
    return failed(fmt::format("{} messages of each of {} are too many under way: take "
                              "a smaller --pipeline, such as {}",
                              plan.pipeline, measure::format_counted(own, "connection"),
                              std::max<std::size_t>((std::size_t{1} << 26) / own, 1)),
                  {}, 0);
  }
  plan.requests = static_cast<std::uint64_t>(options.requests);
  plan.duration = options.time.duration;
  plan.warmup = options.warmup;
  if (plan.open_loop()) {
    const auto schedule = make_schedule(plan, options);
    if (!schedule) return std::unexpected(schedule.error());
    plan.schedule = *schedule;
  }
  plan.churn = options.churn;
  plan.reconnect = options.reconnect;
  plan.connect_rate_hz = options.connect_rate_hz;
  if (const auto& wait = options.backend.reactor.wait; wait.mode == net::WaitPolicy::Mode::batch)
    plan.gather = wait.time_ns;
  return plan;
}

}  // namespace wiremark::tools
