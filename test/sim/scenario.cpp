// One run of a load against netecho's handlers over a simulated network, held against its record.
#include "scenario.h"

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.h"
#include "load/load.h"
#include "net/sim/datagrams.h"
#include "net/sim/streams.h"
#include "netecho/protocol.h"
#include "netload/load_figures.h"
#include "record.h"
#include "report/verdict.h"
#include "staged_end.h"

namespace wiremark::load {

namespace {

using net::sim::DatagramEnd;
using net::sim::StreamEnd;

// How often the control thread looks whether the connections are open, and its lead to the start.
constexpr Nanoseconds kLook = kMillisecond;
constexpr Nanoseconds kLead = 2 * kMillisecond;

// A run, over streams or over datagrams.
template <class End>
class Play {
 public:
  explicit Play(const Scenario& scenario);

  Played run();

 private:
  static constexpr bool kStreams = std::is_same_v<End, StreamEnd>;
  using Directory = std::conditional_t<kStreams, StreamEnd::Listeners, DatagramEnd::Sockets>;

  struct Thread {
    Thread(net::sim::Network& network, Directory& directory, const Scenario& scenario,
           const Plan& plan, const ExchangePlan& exchanges, std::size_t index, StartGate& gate,
           Counts& its)
        : counts(its),
          end(network, directory, scenario.load),
          exchange(exchanges.exchange(plan.part_of(plan.connections, index))),
          record(plan, index, scenario.poisson, scenario.exchange.seed,
                 exchanges.exchange(plan.part_of(plan.connections, index)),
                 kStreams && scenario.load.reactor.receive_timestamps, scenario.answer),
          load(end, *exchange, plan, index, gate, counts) {}

    Counts& counts;
    End end;
    std::unique_ptr<Exchange> exchange;
    Record record;
    Load<End> load;
  };

  void listen();
  void serve();
  void await_connections();
  void plan_faults();
  void check_end(bool over);
  void check_no_vain_wait();
  void make_result();

  Scenario scenario_;
  net::sim::Network network_;
  Directory directory_;
  End server_;
  StartGate gate_;
  std::unique_ptr<ExchangePlan> exchanges_;
  std::deque<Thread> threads_;
  tools::EchoCounts echo_counts_;
  std::shared_ptr<void> handler_;  // Of the server.
  bool cut_short_ = false;
  Played played_;
};

Schedule schedule_of(const Scenario& scenario) {
  const Plan& plan = scenario.plan;
  const auto within = [&](Nanoseconds end, std::uint64_t places) {
    return scenario.poisson ? Schedule::poisson(plan.connections, plan.rate_hz, end, places,
                                                scenario.exchange.seed)
                            : Schedule(plan.connections, plan.rate_hz, end, places);
  };
  const Nanoseconds length = plan.duration > 0 ? plan.warmup + plan.duration : kNever;
  if (plan.requests == 0) return within(length, UINT64_MAX);
  return within(length, within(plan.warmup, UINT64_MAX).places() + plan.requests);
}

template <class End>
Play<End>::Play(const Scenario& scenario)
    : scenario_(scenario),
      network_(scenario.seed),
      server_(network_, directory_, scenario.server),
      exchanges_(*plan_exchange(scenario.exchange, kStreams ? 0 : scenario.seed + 1)),
      played_(scenario.plan.threads) {
  Plan& plan = scenario_.plan;
  plan.target = *net::Address::parse(kStreams ? "127.0.0.1:7007" : "udp:127.0.0.1:7007");
  if (plan.open_loop()) plan.schedule.emplace(schedule_of(scenario_));
  gate_.running = plan.threads;
  serve();
  if (scenario_.listens_at != kNever)
    network_.at(kEpoch + scenario_.listens_at, [this] { listen(); });
  network_.at(kEpoch, [this] {
    for (std::size_t i = 0; i < scenario_.plan.threads; ++i) {
      Thread& thread = threads_.emplace_back(network_, directory_, scenario_, scenario_.plan,
                                             *exchanges_, i, gate_, played_.tally[i]);
      thread.end.watch([&thread](const net::sim::Seen& seen) {
        thread.record.see_load(seen, thread.end.taken_until());
      });
      thread.end.serve(thread.load);
    }
    await_connections();
  });
  server_.watch([this](const net::sim::Seen& seen) {
    for (Thread& thread : threads_) thread.record.see_server(seen);
  });
}

template <class End>
void Play<End>::listen() {
  if constexpr (kStreams)
    (void)server_.listen(scenario_.plan.target, {});
  else
    (void)server_.bind(scenario_.plan.target, {});
}

// What a Responder refers to.
template <wire::Codec C, class End>
struct OwnResponder {
  OwnResponder(End& end, tools::EchoCounts& counts)
      : codec(wire::Limits()), answerer(codec, wire::Limits()), handler(end, answerer, counts) {}

  C codec;
  tools::CodecAnswerer<C> answerer;
  tools::Responder<End, tools::CodecAnswerer<C>> handler;
};

template <class End>
void Play<End>::serve() {
  if (scenario_.answer) {
    const auto answering = std::make_shared<AnswerEnd>(scenario_.answer, echo_counts_);
    server_.serve(*answering);
    handler_ = answering;
    return;
  }
  if constexpr (kStreams) {
    if (scenario_.tick > 0) {
      using Staged = tools::StagedEnd<End>;
      const auto staged = std::make_shared<Staged>(server_, echo_counts_, scenario_.tick);
      server_.serve(*staged);
      handler_ = staged;
      return;
    }
  }
  const bool framed = wire::with_codec(exchanges_->name(), wire::Limits(), [&]<class C>(C&) {
                        const auto own =
                            std::make_shared<OwnResponder<C, End>>(server_, echo_counts_);
                        server_.serve(own->handler);
                        handler_ = own;
                      }).has_value();
  if (framed) return;
  const auto echo = std::make_shared<tools::Echo<End>>(server_, echo_counts_);
  server_.serve(*echo);
  handler_ = echo;
}

// Starts the load when each connection is open or has failed.
template <class End>
void Play<End>::await_connections() {
  std::uint64_t settled = 0;
  for (const Thread& thread : threads_)
    settled += thread.counts.connected.get() + thread.counts.failed.get();
  if (settled < scenario_.plan.own_connections()) {
    if (!gate_.over.requested())
      network_.at(network_.now() + kLook, [this] { await_connections(); });
    return;
  }
  const Nanoseconds start = network_.now() + kLead;
  played_.started = start;
  for (Thread& thread : threads_) thread.record.starts(start);
  gate_.start_ns = start;
  plan_faults();
}

template <class End>
void Play<End>::plan_faults() {
  if constexpr (kStreams) {
    for (const Nanoseconds at : scenario_.resets)
      network_.at(played_.started + at, [this] { server_.reset_one(); });
    for (const Nanoseconds at : scenario_.half_closes)
      network_.at(played_.started + at, [this] { server_.half_close_one(); });
  }
  if (scenario_.asks_oldest > 0)
    network_.at(played_.started + scenario_.asks_oldest, [this] {
      for (Thread& thread : threads_) thread.counts.ask_oldest = true;
    });
  if (scenario_.give_up > 0)
    network_.at(played_.started + scenario_.give_up, [this] {
      cut_short_ = true;
      gate_.over.request();
    });
}

template <class End>
Played Play<End>::run() {
  const Plan& plan = scenario_.plan;
  // A run must end by this time: the plan, and what its last messages may wait for.
  Nanoseconds stalls = 0;
  for (const auto* stalled : {&scenario_.load.stalls, &scenario_.server.stalls})
    for (const auto& stall : *stalled) stalls += stall.to - stall.from;
  const double planned_s = plan.requests > 0 && plan.open_loop()
                               ? static_cast<double>(plan.requests) /
                                     (plan.rate_hz * static_cast<double>(plan.connections))
                               : 0;
  const Nanoseconds longest = 600 * kSecond + plan.warmup + plan.duration + stalls +
                              static_cast<Nanoseconds>(planned_s * kSecond);
  const bool over = network_.run(gate_.over, kEpoch + longest);
  played_.ended = network_.now();
  check_end(over && gate_.over.requested());
  return std::move(played_);
}

// A run must not wait for what cannot come: it ends at most a sweep after the last thing that can.
template <class End>
void Play<End>::check_no_vain_wait() {
  const Plan& plan = scenario_.plan;
  if (plan.reconnect || plan.churn > 0 || plan.requests > 0 || cut_short_) return;
  constexpr Nanoseconds kLeaving = 250 * kMillisecond;  // The linger over UDP, and some turns.
  Nanoseconds latest = kLeaving + plan.timeout / 4;
  for (const auto& stall : scenario_.load.stalls) latest += stall.to - stall.from;
  Nanoseconds over_at = 0;
  for (const Thread& thread : threads_) over_at = std::max(over_at, thread.record.over_at());
  if (played_.ended > over_at + latest) played_.differences.emplace_back("the run waited in vain");
}

template <class End>
void Play<End>::check_end(bool over) {
  if (!over) played_.differences.emplace_back("the run did not end");
  if (over && played_.started > 0) check_no_vain_wait();
  std::uint64_t taken = 0;
  for (Thread& thread : threads_) {
    for (std::string& difference :
         thread.record.compare(thread.counts, cut_short_ || gate_.nobody_listens))
      played_.differences.push_back(std::move(difference));
    taken += thread.record.taken();
    played_.planned += thread.counts.planned.get();
    played_.sent += thread.counts.sent.get();
    played_.answered += thread.counts.answered.get();
    played_.late += thread.counts.late.get();
    played_.failed += thread.counts.failed.get();
    played_.opened_again += thread.counts.opened_again.get();
    played_.repeated += thread.counts.repeated.get();
    if (thread.end.connections() > scenario_.plan.own_connections())
      played_.differences.emplace_back("more connections stand than were asked for");
  }
  const bool counts_messages = kStreams && exchanges_->name() != tools::kRaw;
  if (counts_messages && taken != echo_counts_.messages.get())
    played_.differences.emplace_back("the server counted other messages than it took in");
  if (played_.started == 0) return;
  make_result();
  for (report::Doubt& doubt : report::judge_bounds(played_.result).doubts)
    played_.differences.push_back(std::move(doubt.reason));
}

// As netload makes it of what its threads counted.
template <class End>
void Play<End>::make_result() {
  const Plan& plan = scenario_.plan;
  report::RunResult& result = played_.result;
  result.config = {{"rate", fmt::format("{:g}", plan.rate_hz)},
                   {"pipeline", std::to_string(plan.pipeline)},
                   {"duration", format_duration(plan.duration)},
                   {"warmup", format_duration(plan.warmup)}};
  tools::add_figures(result, {.plan = plan,
                              .tally = played_.tally,
                              .datagrams = !kStreams,
                              .measure_from = played_.started + plan.warmup,
                              .ended_at = played_.ended});
  result.cpu.user_s = 1;  // Processor time is not simulated.
  result.interrupted = cut_short_;
}

}  // namespace

Played play(const Scenario& scenario) {
  if (scenario.datagrams) return Play<DatagramEnd>(scenario).run();
  return Play<StreamEnd>(scenario).run();
}

}  // namespace wiremark::load
