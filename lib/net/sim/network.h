// A network without a kernel: virtual time, one seed, and all of its ends in one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "net/stop.h"

namespace wiremark::net::sim {

/// What happens to data on its way. Each end has the path of what it sends.
struct Path {
  Nanoseconds latency = 20 * kMicrosecond;  ///< The least that a path takes.
  Nanoseconds jitter = 0;                   ///< Mean of a random, exponential addition.
  double bytes_per_second = 0;              ///< For all connections together; 0 is no limit.
  std::size_t window = 256 << 10;           ///< Streams: the most bytes sent and not yet read.
  double loss = 0;                          ///< Share of the datagrams that are lost.
  double duplication = 0;                   ///< Share of the datagrams that arrive twice.
  double reordering = 0;                    ///< Share of the datagrams that take longer...
  Nanoseconds detour = kMillisecond;        ///< ...by up to this.
};

/// The queue of everything that will happen: by time, and at the same time in the order in which it
/// was asked for.
class Network {
 public:
  explicit Network(std::uint64_t seed) noexcept : seed_(seed) {}

  /// The time of what is happening.
  Nanoseconds now() const noexcept { return now_; }

  /// Calls what() at the time `at`, which must not have passed.
  void at(Nanoseconds at, std::move_only_function<void()> what);

  /// Runs until `stop` is requested or nothing is left to happen; false if the next thing would
  /// happen at `end` or later.
  bool run(const Stop& stop, Nanoseconds end);

  /// A number that nothing else has; never 0.
  std::uint64_t next_number() noexcept { return ++numbers_; }

  /// The next random number, the same for the same seed.
  std::uint64_t random() noexcept;
  /// A random number from 0 up to, not including, 1.
  double share() noexcept { return static_cast<double>(random() >> 11) * 0x1p-53; }
  bool chance(double share_of_all) noexcept { return share_of_all > 0 && share() < share_of_all; }

  /// When something arrives that is sent on a path; earlier bytes keep the path busy until
  /// `busy_until`.
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
  std::vector<Event> events_;  // A heap with the next event in front.
};

}  // namespace wiremark::net::sim
