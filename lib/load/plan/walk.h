// One thread's walk through the plan of an open loop: whose message is due next, and when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "load/counts.h"
#include "load/plan/plan.h"

namespace wiremark::load {

/// Clients are the connections of one thread: client i is connection i * lanes + its lane of the
/// load. A closed loop has no schedule and may only call number().
class Walk {
 public:
  /// The most due messages that are handled before the loop looks at what has arrived.
  static constexpr int kBurst = 64;

  Walk(const Plan& plan, std::size_t thread)
      : plan_(plan),
        lane_(plan.lane_of(thread)),
        lanes_(plan.lanes()),
        clients_(plan.part_of(plan.connections, thread)) {}

  std::size_t clients() const noexcept { return clients_; }
  /// The number of a client's connection in the whole load, and among those of this process.
  std::uint64_t number(std::size_t client) const noexcept { return client * lanes_ + lane_; }

  std::uint64_t own_number(std::size_t client) const noexcept {
    return number(client) / plan_.share.of;
  }

  /// The plan's time 0 is `start_ns`.
  void start(Nanoseconds start_ns) {
    start_ns_ = start_ns;
    first_measured_ = plan_.schedule->first_from(plan_.warmup);
  }
  Nanoseconds planned_ns(std::size_t client, std::uint64_t sequence) const noexcept {
    return start_ns_ + plan_.schedule->at(place(client, sequence));
  }
  /// When a message planned at `planned` is to be sent: then, or at the next multiple of the plan's
  /// `gather`.
  Nanoseconds gathered(Nanoseconds planned) const noexcept {
    if (plan_.gather == 0) return planned;
    const Nanoseconds steps = (planned - start_ns_ + plan_.gather - 1) / plan_.gather;
    return start_ns_ + steps * plan_.gather;
  }
  bool measured(std::size_t client, std::uint64_t sequence) const noexcept {
    return place(client, sequence) >= first_measured_;
  }
  /// Whether every message of this thread has come due.
  bool done() const noexcept {
    return place(next_client_, next_sequence_) >= plan_.schedule->places();
  }

  /// Counts each message that is due as planned and calls due(client, now) for it, which returns
  /// the time at which the load came to it. Returns when to call it again: at once after kBurst
  /// messages, kNever at the end. `clock` has a now(), whose last reading was `now`.
  template <class Clock, class Due>
  Nanoseconds go(Nanoseconds now, const Clock& clock, Counts& counts, Due&& due);

  /// Counts all that is left as planned; it will not be sent.
  void forgo(Counts& counts) {
    const std::uint64_t come_due = next_sequence_ * clients_ + next_client_;
    const std::uint64_t from = std::max(come_due, own_of(first_measured_));
    counts.planned.add(own_of(plan_.schedule->places()) - from);
    next_sequence_ = plan_.schedule->places() / plan_.connections + 1;
  }

 private:
  std::uint64_t place(std::size_t client, std::uint64_t sequence) const noexcept {
    return plan_.schedule->place(number(client), sequence);
  }
  // How many of the first `places` of the plan belong to this thread.
  std::uint64_t own_of(std::uint64_t places) const noexcept {
    const std::uint64_t rest = places % plan_.connections;
    const std::uint64_t of_rest = rest > lane_ ? (rest - lane_ + lanes_ - 1) / lanes_ : 0;
    return places / plan_.connections * clients_ + of_rest;
  }

  const Plan& plan_;
  std::size_t lane_;
  std::size_t lanes_;
  std::size_t clients_;
  Nanoseconds start_ns_ = 0;
  std::uint64_t first_measured_ = 0;  // The first place of the measured part.
  std::uint64_t next_sequence_ = 0;
  std::size_t next_client_ = 0;
  Nanoseconds next_at_ = 0;  // Nothing is due before this time.
};

template <class Clock, class Due>
Nanoseconds Walk::go(Nanoseconds now, const Clock& clock, Counts& counts, Due&& due) {
  if (now < next_at_) return next_at_;
  for (int burst = 0; !done(); ++burst) {
    const std::uint64_t place = this->place(next_client_, next_sequence_);
    const Nanoseconds planned = start_ns_ + plan_.schedule->at(place);
    if (planned > now) {
      now = clock.now();
      if (planned > now) return next_at_ = gathered(planned);
    }
    if (burst == kBurst) return now;
    const bool measured = place >= first_measured_;
    if (measured) counts.planned.add();
    now = due(next_client_, now);
    if (++next_client_ == clients_) {
      next_client_ = 0;
      ++next_sequence_;
    }
  }
  return kNever;
}

}  // namespace wiremark::load
