// Random networks, plans and faults: whatever happens, every figure of a load is what the network
// saw, and the run ends.
// usage: seeds [COUNT [FIRST]]   a seed that fails prints the line that plays it again
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>

#include "scenario.h"

using namespace wiremark;
using namespace wiremark::load;
using net::sim::EndOptions;
using net::sim::Stall;

namespace {

/// Draws the parts of a scenario.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool chance(double share) { return unit() < share; }
  std::uint64_t whole(std::uint64_t least, std::uint64_t most) {
    return least + random_() % (most - least + 1);
  }
  /// Every order of magnitude is equally likely.
  Nanoseconds time(Nanoseconds least, Nanoseconds most) {
    const double low = std::log(static_cast<double>(least));
    const double high = std::log(static_cast<double>(most));
    return static_cast<Nanoseconds>(std::exp(low + unit() * (high - low)));
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[whole(0, all.size() - 1)];
  }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 random_;
};

// Some of the messages that a run has at most, so that seeds take milliseconds.
constexpr double kMessages = 1500;

void draw_path(Dice& dice, net::sim::Path& path, bool datagrams) {
  path.latency = dice.time(2 * kMicrosecond, 20 * kMillisecond);
  if (dice.chance(0.5)) path.jitter = dice.time(kMicrosecond, 20 * kMillisecond);
  if (dice.chance(0.2)) path.bytes_per_second = static_cast<double>(dice.whole(1, 200)) * 1e6;
  if (dice.chance(0.3)) path.window = dice.whole(1, 4096);
  if (!datagrams) return;
  if (dice.chance(0.5)) path.loss = dice.unit() * 0.3;
  if (dice.chance(0.4)) path.duplication = dice.unit() * 0.3;
  if (dice.chance(0.4)) path.reordering = dice.unit() * 0.5;
  path.detour = dice.time(10 * kMicrosecond, kSecond);
}

void draw_end(Dice& dice, EndOptions& end, Nanoseconds length, bool datagrams) {
  draw_path(dice, end.path, datagrams);
  end.turn_cost = dice.time(100, 20 * kMicrosecond);
  if (dice.chance(0.5)) end.wake_cost = dice.time(1, 100 * kMicrosecond);
  if (dice.chance(0.5)) end.delivery_cost = dice.time(10, 10 * kMicrosecond);
  if (dice.chance(0.5)) end.send_cost = dice.time(10, 10 * kMicrosecond);
  if (dice.chance(0.3)) end.events_per_turn = static_cast<unsigned>(dice.whole(1, 8));
  if (dice.chance(0.3)) end.read_size = dice.whole(1, 2000);
  end.split = dice.chance(0.4);
  if (dice.chance(0.2)) end.backlog = dice.whole(1, 8);
  if (dice.chance(0.3)) end.accepts_per_turn = static_cast<unsigned>(dice.whole(1, 4));
  if (dice.chance(0.2)) end.datagram_queue = dice.whole(1, 16);
  if (dice.chance(0.3)) end.reactor.output_limit = dice.whole(1, 4000);
  Nanoseconds from = kEpoch;
  for (std::uint64_t i = dice.chance(0.5) ? dice.whole(1, 3) : 0; i > 0; --i) {
    from += dice.time(kMillisecond, length);
    const Nanoseconds to = from + dice.time(10 * kMicrosecond, 2 * kSecond);
    end.stalls.push_back({from, to});
    from = to + 1;
  }
}

Scenario scenario_of(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario;
  scenario.seed = seed;
  scenario.exchange.seed = seed;
  scenario.datagrams = dice.chance(0.35);
  Plan& plan = scenario.plan;
  plan.connections = dice.whole(1, dice.chance(0.2) ? 60 : 12);
  const auto most = static_cast<unsigned>(std::min<std::size_t>(plan.connections, 3));
  if (dice.chance(0.25)) plan.share.of = static_cast<unsigned>(dice.whole(1, most));
  plan.share.index = static_cast<unsigned>(dice.whole(0, plan.share.of - 1));
  plan.threads = std::min<std::size_t>(plan.own_connections(), dice.one_of({1, 1, 2, 3}));
  plan.pipeline = static_cast<unsigned>(dice.one_of<std::uint64_t>({1, 1, 2, 5, 16, 100}));
  plan.timeout = dice.time(5 * kMillisecond, 2 * kSecond);
  if (dice.chance(0.5))
    scenario.load.reactor.heartbeat = dice.time(kMillisecond, 100 * kMillisecond);
  const double seconds = dice.unit() * 2 + 0.01;
  const bool limited = dice.chance(0.4);
  if (dice.chance(0.6)) {
    const double messages = 1 + dice.unit() * kMessages;
    plan.rate_hz = messages / seconds / static_cast<double>(plan.connections);
    scenario.poisson = dice.chance(0.4);
    if (dice.chance(0.2)) plan.gather = dice.time(100 * kMicrosecond, 20 * kMillisecond);
    if (limited) plan.requests = dice.whole(1, static_cast<std::uint64_t>(messages) + 1);
    if (!limited || dice.chance(0.5)) plan.duration = static_cast<Nanoseconds>(seconds * 1e9);
    if (dice.chance(0.3)) plan.warmup = dice.time(kMillisecond, kSecond / 2);
  } else {
    if (limited) plan.requests = dice.whole(1, static_cast<std::uint64_t>(kMessages));
    if (!limited) plan.duration = dice.time(kMillisecond, 20 * kMillisecond);
    if (dice.chance(0.3)) plan.warmup = dice.time(100 * kMicrosecond, 3 * kMillisecond);
  }
  const Nanoseconds length = plan.warmup + std::max(plan.duration, 20 * kMillisecond);
  if (!scenario.datagrams) {
    plan.reconnect = dice.chance(0.4);
    if (dice.chance(0.25)) plan.churn = dice.whole(1, 30);
    if (dice.chance(0.2)) plan.connect_rate_hz = static_cast<double>(dice.whole(20, 5000));
    if (dice.chance(0.1)) scenario.listens_at = dice.time(kMillisecond, kSecond);
    if (dice.chance(0.05)) scenario.listens_at = kNever;
    for (std::uint64_t i = dice.chance(0.3) ? dice.whole(1, 5) : 0; i > 0; --i)
      scenario.resets.push_back(dice.time(kMicrosecond, length));
    for (std::uint64_t i = dice.chance(0.2) ? dice.whole(1, 3) : 0; i > 0; --i)
      scenario.half_closes.push_back(dice.time(kMicrosecond, length));
    if (dice.chance(0.2)) {
      scenario.server.slow_readers = dice.unit();
      scenario.server.slow_pause = dice.time(100 * kMicrosecond, kSecond);
    }
    if (dice.chance(0.3))
      scenario.server.reactor.idle_timeout = dice.time(kMillisecond, 2 * length);
    if (dice.chance(0.1)) scenario.tick = dice.time(50 * kMicrosecond, 50 * kMillisecond);
    scenario.load.reactor.receive_timestamps = dice.chance(0.2);
  }
  draw_end(dice, scenario.load, length, scenario.datagrams);
  draw_end(dice, scenario.server, length, scenario.datagrams);
  scenario.load.reactor.output_limit = SIZE_MAX;  // As netload has it.
  if (scenario.tick == 0 && dice.chance(0.2)) {
    scenario.answer = answer_in_resp;
    scenario.exchange.custom = {.send = {"GET %{n}\n", "SET %{conn} %{random:30}\n"},
                                .reply = "resp"};
    if (scenario.datagrams) {
      scenario.exchange.custom = {.send = {"%{id} %{random:30}"}, .reply = "datagram"};
      scenario.answer = [](std::string_view request) {
        return std::string(request) + answer_in_resp(request);
      };
    }
  } else if (scenario.tick == 0 && dice.chance(0.4)) {
    const auto names = exchange_names();
    scenario.exchange.name = names[dice.whole(1, names.size() - 1)];
  } else {
    const std::size_t least = scenario.datagrams ? 16 : 1;
    const std::size_t size = dice.whole(least, 800);
    scenario.exchange.size = SizeRange{size, dice.chance(0.3) ? size + dice.whole(0, 800) : size};
  }
  if (dice.chance(0.1)) scenario.give_up = dice.time(kMillisecond, 2 * length);
  return scenario;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::uint64_t failed = 0, planned = 0, sent = 0, answered = 0, late = 0;
  std::uint64_t opened_again = 0, repeated = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Played played = play(scenario_of(seed));
    planned += played.planned;
    sent += played.sent;
    answered += played.answered;
    late += played.late;
    opened_again += played.opened_again;
    repeated += played.repeated;
    if (played.differences.empty()) continue;
    ++failed;
    std::printf("seed %llu: %s\n  play it again: %s 1 %llu\n",
                static_cast<unsigned long long>(seed), played.differences.front().c_str(), argv[0],
                static_cast<unsigned long long>(seed));
  }
  std::printf(
      "%llu seeds, %llu failed; %llu messages planned, %llu sent, %llu once more, %llu answered, "
      "%llu late; %llu connections opened again\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(failed),
      static_cast<unsigned long long>(planned), static_cast<unsigned long long>(sent),
      static_cast<unsigned long long>(repeated), static_cast<unsigned long long>(answered),
      static_cast<unsigned long long>(late), static_cast<unsigned long long>(opened_again));
  return failed > 0 || answered == 0;
}
