// How far apart two processors are, as a cache line travels.
#include "measure/core_distance.h"

#include <algorithm>
#include <atomic>
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

// The cache line that goes back and forth. Processors fetch lines in pairs: it has one to itself.
struct alignas(128) Ball {
  enum Side : int { waiting, here, there, over };
  std::atomic<int> side{waiting};
};

void pass_back(Ball& ball) noexcept {
  int side;
  while ((side = ball.side.load(std::memory_order_acquire)) != Ball::over) {
    if (side == Ball::there) ball.side.store(Ball::here, std::memory_order_release);
  }
}

// 0 where no batch was undisturbed.
Nanoseconds fastest_batch(Ball& ball) noexcept {
  const Nanoseconds start = now_ns();
  Nanoseconds fastest = kNever;
  Nanoseconds from = start;
  for (int batch = 0; batch < kBatches && from - start < kTimeLimit; ++batch) {
    for (int trip = 0; trip < kTrips; ++trip) {
      ball.side.store(Ball::there, std::memory_order_release);
      while (ball.side.load(std::memory_order_acquire) != Ball::here) {
      }
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
    while (ball.side == Ball::waiting) std::this_thread::yield();
    if (ball.side == Ball::here) distance = fastest_batch(ball);
    ball.side = Ball::over;
  };
  run_pinned_pair(cpus[0], cpus[1], throw_it, [&](bool pinned) {
    ball.side = pinned ? Ball::here : Ball::over;
    pass_back(ball);
  });
  return distance;
}

bool same_distance(Nanoseconds one, Nanoseconds other) noexcept {
  if (one <= 0 || other <= 0) return true;
  const auto [near, far] = std::minmax(one, other);
  return static_cast<double>(far) <= kSameDistanceFactor * static_cast<double>(near);
}

}  // namespace wiremark::measure
