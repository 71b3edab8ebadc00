// How far apart two processors are, as a cache line travels.
#include "measure/core_distance.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/cpus.h"
#include "measure/pinned_pair.h"

namespace wiremark::measure {

namespace {

constexpr int kTrips = 10;
constexpr int kBatches = 300;
constexpr Nanoseconds kTimeLimit = 20 * kMillisecond;
// No two processors of one machine are so far apart: one of the threads waited for its processor.
constexpr Nanoseconds kFarthest = 3 * kMicrosecond;
// A thread looks for the ball so often between two looks at the clock.
constexpr int kLooks = 1'000;
// It looks for so long at a stretch, and rests after each that was in vain, but for the first ones:
// where nobody else runs the two are in time with each other, and beside programs that are busy a
// thread would spin through their turns.
constexpr Nanoseconds kStretch = 10 * kMicrosecond;
static_assert(kStretch > kFarthest);
constexpr int kPatience = 100;
constexpr std::chrono::microseconds kRest{100};

// The cache line that goes back and forth. Processors fetch lines in pairs: it has one to itself.
struct alignas(128) Ball {
  enum Side : int { here, there, over };
  std::atomic<int> side{here};
};

// One of the two threads at the ball.
class Player {
 public:
  explicit Player(Ball& ball) noexcept : ball_(ball) {}

  void put(Ball::Side side) noexcept { ball_.side.store(side, std::memory_order_release); }

  // Returns the side that the ball comes to from this one.
  int await(Ball::Side from) noexcept {
    for (Nanoseconds since = 0;;) {
      for (int looks = 0; looks < kLooks; ++looks)
        if (const int side = ball_.side.load(std::memory_order_acquire); side != from) return side;
      const Nanoseconds now = now_ns();
      if (since == 0) since = now;
      if (now - since < kStretch) continue;
      if (stretches_++ >= kPatience) std::this_thread::sleep_for(kRest);
      since = 0;
    }
  }

 private:
  Ball& ball_;
  int stretches_ = 0;  // In vain.
};

void pass_back(Player player) noexcept {
  while (player.await(Ball::here) == Ball::there) player.put(Ball::here);
}

// 0 where no batch was undisturbed.
Nanoseconds fastest_batch(Player& player) noexcept {
  const Nanoseconds start = now_ns();
  Nanoseconds fastest = kNever;
  Nanoseconds from = start;
  for (int batch = 0; batch < kBatches && from - start < kTimeLimit; ++batch) {
    for (int trip = 0; trip < kTrips; ++trip) {
      player.put(Ball::there);
      player.await(Ball::there);
    }
    const Nanoseconds now = now_ns();
    fastest = std::min(fastest, now - from);
    from = now;
  }
  return fastest <= kTrips * kFarthest ? fastest / kTrips : 0;
}

}  // namespace

Nanoseconds measure_core_distance() {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) return 0;
  Ball ball;
  Nanoseconds distance = 0;
  const auto throw_it = [&] {
    Player player(ball);
    distance = fastest_batch(player);
    player.put(Ball::over);
  };
  run_pinned_pair(cpus[0], cpus[1], throw_it, [&] { pass_back(Player(ball)); });
  return distance;
}

bool same_distance(Nanoseconds one, Nanoseconds other) noexcept {
  if (one <= 0 || other <= 0) return true;
  const auto [near, far] = std::minmax(one, other);
  return static_cast<double>(far) <= kSameDistanceFactor * static_cast<double>(near);
}

}  // namespace wiremark::measure
