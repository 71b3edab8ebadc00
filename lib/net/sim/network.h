// A network without a kernel: virtual time, one seed, and all of its ends in one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "net/stop.h"

namespace wiremark::net::sim {

/// What a path does to what travels on it. Each end has the path of what it sends.
struct Path {
  Nanoseconds latency = 20 * kMicrosecond;  ///< The least.
  Nanoseconds jitter = 0;                   ///< Mean of an exponential part on top of it.
  double bytes_per_second = 0;              ///< Of all connections together; 0 is no limit.
  std::size_t window = 256 << 10;           ///< Streams: bytes sent and not yet read at most.
  double loss = 0;                          ///< Share of the datagrams.
  double duplication = 0;                   ///< The same.
  double reordering = 0;                    ///< Share of the datagrams that take longer...
  Nanoseconds detour = kMillisecond;        ///< ...by up to this.
};

/// What happens, and the order in which it does: by time, and at one time in the order of asking.
class Network {
 public:
  explicit Network(std::uint64_t seed) noexcept : seed_(seed) {}

  /// Of what happens right now.
  Nanoseconds now() const noexcept { return now_; }

  /// Lets `what` happen at `at`, which must not have passed.
  void at(Nanoseconds at, std::move_only_function<void()> what);

  /// Lets it all happen, until `stop` is requested or nothing is left; false where what comes next
  /// would come at `end` or later.
  bool run(const Stop& stop, Nanoseconds end);

  /// For what needs a number of its own; 0 is none.
  std::uint64_t next_number() noexcept { return ++numbers_; }

  /// The next random number, the same for the same seed.
  std::uint64_t random() noexcept;
  /// The same, of 0 to 1, 1 excluded.
  double share() noexcept { return static_cast<double>(random() >> 11) * 0x1p-53; }
  bool chance(double share_of_all) noexcept { return share_of_all > 0 && share() < share_of_all; }

  /// When something arrives that is sent on a path, which is busy with bytes until `busy_until`.
  Nanoseconds arrival(const Path& path, std::size_t bytes, Nanoseconds sent,
                      Nanoseconds& busy_until) noexcept;

 private:
  struct Event {
    Nanoseconds at;
    std::uint64_t order;
    std::move_only_function<void()> what;
  };

  static bool later(const Event& a, const Event& b) noexcept {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }

  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t numbers_ = 0;
  Nanoseconds now_ = 0;
  std::vector<Event> events_;  // A heap, the next one in front.
};

}  // namespace wiremark::net::sim
