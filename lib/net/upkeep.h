// What a reactor does for its connections now and then, beside their messages: it ends those that
// are idle or hold too much memory, and gives back what they have let go of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "net/conn_pool.h"
#include "net/handler.h"
#include "net/reactor_options.h"

namespace wiremark::net {

/// Costs a comparison or two per turn and nothing per message: whoever moves bytes sets `idle` of
/// the connection to 0, without reading a clock.
class Upkeep {
 public:
  explicit Upkeep(const ReactorOptions& options) noexcept;

  /// Call it once a turn; `held` is the memory in buffers of connections. end(conn, errno) closes
  /// one.
  template <class C, class F>
  void turn(Nanoseconds now, std::size_t held, ConnPool<C>& pool, F&& end) {
    if (now < due_ && held <= mark_) [[likely]]
      return;
    if (held > memory_limit_) end_largest(pool, end);
    if (now >= sweep_at_) sweep(now, pool, end);
    look(now, held);
    due_ = std::min(sweep_at_, look_at_);
  }

  /// When the next turn is wanted at the latest.
  Nanoseconds due() const noexcept { return due_; }

 private:
  // Sweeps per idle_timeout: an idle connection ends at most a quarter of it late.
  static constexpr int kSweeps = 4;
  // Memory that was not needed between two looks goes back to the system.
  static constexpr Nanoseconds kLook = kSecond;

  template <class C, class F>
  void sweep(Nanoseconds now, ConnPool<C>& pool, F&& end);
  template <class C, class F>
  void end_largest(ConnPool<C>& pool, F&& end);
  void look(Nanoseconds now, std::size_t held);

  Nanoseconds idle_timeout_;
  std::size_t memory_limit_;
  std::size_t memory_kept_;
  Nanoseconds due_ = kNever;
  Nanoseconds sweep_at_ = kNever;
  std::size_t block_ = 0;  // The block of the pool that was swept last.
  std::size_t mark_;       // With more memory held, a turn looks closer.
  std::size_t most_ =
      0;  // The most held since memory was last given back, to an eighth of what is kept.
  bool spare_ = false;  // At the last look much less than most_ was held.
  Nanoseconds look_at_ = kNever;
};

// One block of the pool at a time, so that no turn waits for all of them.
template <class C, class F>
void Upkeep::sweep(Nanoseconds now, ConnPool<C>& pool, F&& end) {
  const std::size_t blocks = std::max<std::size_t>(pool.blocks(), 1);
  block_ = (block_ + 1) % blocks;
  if (pool.blocks() > 0) {
    pool.for_each_in(block_, [&](C& conn) {
      if (conn.accepted && conn.alive() && ++conn.idle > kSweeps) end(conn, kEndedIdle);
    });
  }
  sweep_at_ = now + std::max(idle_timeout_ / kSweeps / static_cast<Nanoseconds>(blocks),
                             static_cast<Nanoseconds>(1));
}

template <class C, class F>
void Upkeep::end_largest(ConnPool<C>& pool, F&& end) {
  std::vector<std::pair<std::size_t, C*>> holders;
  std::size_t held = 0;
  pool.for_each([&](C& conn) {
    if (!conn.alive()) return;
    held += conn.held();
    if (conn.accepted && conn.held() > 0) holders.emplace_back(conn.held(), &conn);
  });
  if (held <= memory_limit_)
    return;  // The remainder belongs to connections that are ending already.
  std::ranges::sort(holders, std::greater(), &std::pair<std::size_t, C*>::first);
  for (const auto& [size, conn] : holders) {
    if (held <= memory_limit_ - memory_limit_ / 8) return;
    end(*conn, kEndedForMemory);
    held -= size;
  }
}

}  // namespace wiremark::net
