// One end of a simulated network: a loop whose clock runs ahead as its work takes time.
#include "net/sim/end.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace wiremark::net::sim {

End::End(Network& network, EndOptions options)
    : network_(network), options_(std::move(options)), attention_(options_.reactor.heartbeat) {
  assert(options_.turn_cost > 0);
}

void End::begin(std::function<Nanoseconds(Nanoseconds)> on_turn) {
  on_turn_ = std::move(on_turn);
  attention_.begins(network_.now());
  turn_at(network_.now());
}

// A turn begins when the one before is done, and not during a stall.
void End::turn_at(Nanoseconds at) {
  if (at == kNever || !on_turn_) return;
  at = std::max(at, now());
  for (const Stall& stall : options_.stalls) {
    if (at >= stall.from && at < stall.to) at = stall.to;
  }
  if (at >= next_turn_) return;
  next_turn_ = at;
  network_.at(at, [this, at] {
    if (at == next_turn_) turn();
  });
}

void End::turn() {
  clock_ = network_.now();
  attention_.woke(clock_);
  stats_.turns.add();
  if (deliver()) taken_until_ = attention_.woke();
  reap();
  const Nanoseconds deadline = on_turn_(clock_);
  spend(options_.turn_cost);
  next_turn_ = kNever;  // This turn has begun.
  const Nanoseconds until = has_work() ? clock_ : attention_.at_most(clock_, deadline);
  attention_.waits(clock_, until);
  turn_at(until);
}

void End::spend(Nanoseconds cost) noexcept {
  const Nanoseconds before = now();
  Nanoseconds after = before + cost;
  for (const Stall& stall : options_.stalls) {
    if (before <= stall.from && after > stall.from) after += stall.to - stall.from;
  }
  clock_ = after;
}

}  // namespace wiremark::net::sim
