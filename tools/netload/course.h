// One thread's course through a run: when it starts, what it may send, and when it is through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "netload/load_plan.h"
#include "netload/plan_walk.h"

namespace wiremark::tools {

/// What a load does whatever it sends through. In an open loop messages come due by the plan. In a
/// closed loop each client sends its first ones, each answer brings the next, and the time and the
/// thread's share of the requests end it. Clients are numbered as PlanWalk does.
class Course {
 public:
  /// Looks for what is late `sweeps` times in one timeout.
  Course(const LoadPlan& plan, std::size_t thread, StartGate& gate, LoadCounts& counts,
         Nanoseconds sweeps)
      : plan_(plan),
        walk_(plan, thread),
        gate_(gate),
        counts_(counts),
        open_loop_(plan.open_loop()),
        sweeps_(sweeps),
        budget_(plan.share_of(plan.requests, thread)) {}

  std::size_t clients() const noexcept { return walk_.clients(); }
  std::uint32_t number(std::size_t client) const noexcept {
    return static_cast<std::uint32_t>(walk_.number(client));
  }
  bool open_loop() const noexcept { return open_loop_; }

  bool connecting() const noexcept { return phase_ == Phase::connecting; }
  bool waiting() const noexcept { return phase_ == Phase::waiting; }
  bool running() const noexcept { return phase_ == Phase::running; }
  bool done() const noexcept { return phase_ == Phase::done; }

  /// The connections of this thread stand, or never will.
  void connected() noexcept { phase_ = Phase::waiting; }
  /// Starts once the gate is open; until when to wait for that, or 0.
  Nanoseconds start(Nanoseconds now);
  /// All is sent, and nothing awaited any more.
  void leave() {
    phase_ = Phase::done;
    gate_.leave();
  }

  /// Calls due(client) for what has come due, or first(client, now) for the clients whose turn to
  /// send their first messages it is; returns when it wants to go on.
  template <class Due, class First>
  Nanoseconds go(Nanoseconds now, Due&& due, First&& first);
  /// True once in each part of the timeout.
  bool time_to_sweep(Nanoseconds now) noexcept {
    if (now < next_sweep_) return false;
    next_sweep_ = now + plan_.timeout / sweeps_;
    return true;
  }
  Nanoseconds next_sweep() const noexcept { return next_sweep_; }
  /// Of the measured part; kNever without a limit of time.
  Nanoseconds end() const noexcept { return end_; }

  /// Whether a client sends on, of whose messages `due` have come due and `sent` are sent.
  bool may_send(std::uint32_t due, std::uint32_t sent, Nanoseconds now) const noexcept {
    return open_loop_ ? due > sent : may_send(now);
  }
  Nanoseconds planned_ns(std::size_t client, std::uint32_t sequence,
                         Nanoseconds now) const noexcept {
    return open_loop_ ? walk_.planned_ns(client, sequence) : now;
  }
  /// Open loop: whether the plan has the message in the measured part.
  bool measured_by_plan(std::size_t client, std::uint32_t sequence) const noexcept {
    return walk_.measured(client, sequence);
  }
  /// Closed loop: whether what is sent now is measured.
  bool warmed_up(Nanoseconds now) const noexcept { return now >= measure_from_; }

  /// Open loop: what has come due waits until it is sent, or dropped with its client.
  void came_due() noexcept { ++waiting_; }
  void drop(std::uint32_t messages) noexcept { waiting_ -= messages; }
  /// Open loop: the rest of the plan was planned, and is never sent.
  void forgo() {
    walk_.forgo(counts_);
    waiting_ = 0;
  }

  void sent(bool measured, std::size_t size, Nanoseconds planned_ns, Nanoseconds now);
  /// Of the measured part; timed until it `came`.
  void answered(std::size_t size, Nanoseconds planned_ns, Nanoseconds sent_ns, Nanoseconds came,
                Nanoseconds now);

  /// Open loop: whether every message has come due, whatever became of it.
  bool all_due() const noexcept { return walk_.done(); }
  bool all_sent(Nanoseconds now) const noexcept {
    return open_loop_ ? all_due() && waiting_ == 0 : !may_send(now);
  }

 private:
  enum class Phase { connecting, waiting, running, done };

  bool may_send(Nanoseconds now) const noexcept {
    if (now < measure_from_) return true;
    return now < end_ && (plan_.requests == 0 || budget_ > 0);
  }

  const LoadPlan& plan_;
  PlanWalk walk_;  // Open loop.
  StartGate& gate_;
  LoadCounts& counts_;
  bool open_loop_;
  Nanoseconds sweeps_;
  Phase phase_ = Phase::connecting;
  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = kNever;
  Nanoseconds next_sweep_ = kNever;
  std::size_t next_first_ = 0;  // Closed loop: who sends its first message.
  std::uint64_t budget_;        // Closed loop: requests left to this thread.
  std::uint64_t waiting_ = 0;   // Open loop: due, and not sent.
};

inline Nanoseconds Course::start(Nanoseconds now) {
  if (const Nanoseconds until = gate_.closed_until(now); until != 0) return until;
  const Nanoseconds start_ns = gate_.start_ns;
  phase_ = Phase::running;
  measure_from_ = start_ns + plan_.warmup;
  if (plan_.duration > 0) end_ = measure_from_ + plan_.duration;
  if (plan_.timeout > 0) next_sweep_ = start_ns + plan_.timeout / sweeps_;
  if (open_loop_) walk_.start(start_ns);
  return 0;
}

template <class Due, class First>
Nanoseconds Course::go(Nanoseconds now, Due&& due, First&& first) {
  if (open_loop_) return walk_.go(now, counts_, std::forward<Due>(due));
  for (int burst = 0; next_first_ < clients(); ++burst, ++next_first_) {
    now = now_ns();
    if (burst == PlanWalk::kBurst) return now;
    first(next_first_, now);
  }
  return kNever;
}

inline void Course::sent(bool measured, std::size_t size, Nanoseconds planned_ns, Nanoseconds now) {
  if (open_loop_) --waiting_;
  if (!measured) return;
  counts_.sent.add();
  counts_.bytes_out.add(size);
  if (open_loop_)
    counts_.lateness.record(now - planned_ns);
  else if (plan_.requests > 0)
    --budget_;
}

inline void Course::answered(std::size_t size, Nanoseconds planned_ns, Nanoseconds sent_ns,
                             Nanoseconds came, Nanoseconds now) {
  counts_.answered.add();
  counts_.bytes_in.add(size);
  counts_.last_answer_ns.store(now, std::memory_order_relaxed);
  if (open_loop_) counts_.service.record(came - sent_ns);
  counts_.response.record(came - planned_ns);
}

}  // namespace wiremark::tools
