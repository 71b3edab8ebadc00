// How far apart two processors are, as a cache line travels.
#include "measure/core_distance.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/cpus.h"
#include "measure/patience.h"
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
static_assert(Patience::kStretch > kFarthest);

// What the two threads share: a cache line that goes back and forth between them, and until when.
// Processors fetch lines in pairs: each has one to itself.
struct Game {
  enum Side : int { here, there };
  alignas(128) std::atomic<int> ball{here};
  alignas(128) std::atomic<Nanoseconds> until{kNever};
};

// One of the two threads at the ball.
class Player {
 public:
  explicit Player(Game& game) noexcept : game_(game) {}

  void put(Game::Side side) noexcept { game_.ball.store(side, std::memory_order_release); }

  // Whether the ball has left this side before the game is over.
  bool await(Game::Side from) noexcept {
    patience_.begin();
    for (auto next = Patience::Next::look; next != Patience::Next::leave;) {
      for (int looks = 0; looks < kLooks; ++looks)
        if (game_.ball.load(std::memory_order_acquire) != from) return true;
      next = patience_.next(now_ns(), game_.until.load(std::memory_order_relaxed));
      if (next == Patience::Next::rest)
        std::this_thread::sleep_for(std::chrono::nanoseconds(Patience::kRest));
    }
    return false;
  }

 private:
  Game& game_;
  Patience patience_;
};

void pass_back(Player player) noexcept {
  while (player.await(Game::here)) player.put(Game::here);
}

bool play_batch(Player& player) noexcept {
  for (int trip = 0; trip < kTrips; ++trip) {
    player.put(Game::there);
    if (!player.await(Game::there)) return false;
  }
  return true;
}

// 0 where no batch was undisturbed.
Nanoseconds fastest_batch(Game& game) noexcept {
  Player player(game);
  Nanoseconds fastest = kNever;
  Nanoseconds from = now_ns();
  const Nanoseconds until = from + kTimeLimit;
  game.until.store(until, std::memory_order_relaxed);
  for (int batch = 0; batch < kBatches && from < until && play_batch(player); ++batch) {
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
  Game game;
  Nanoseconds distance = 0;
  const auto play = [&] {
    distance = fastest_batch(game);
    game.until.store(0, std::memory_order_relaxed);
  };
  run_pinned_pair(cpus[0], cpus[1], play, [&] { pass_back(Player(game)); });
  return distance;
}

bool same_distance(Nanoseconds one, Nanoseconds other) noexcept {
  if (one <= 0 || other <= 0) return true;
  const auto [near, far] = std::minmax(one, other);
  return static_cast<double>(far) <= kSameDistanceFactor * static_cast<double>(near);
}

}  // namespace wiremark::measure
