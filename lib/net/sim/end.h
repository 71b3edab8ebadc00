// One end of a simulated network: a loop whose clock runs ahead as its work takes time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/attention.h"
#include "net/handler.h"
#include "net/reactor_options.h"
#include "net/sim/network.h"

namespace wiremark::net::sim {

/// A time in which a loop stands still, whatever it is doing, as when its process is stopped or has
/// no processor.
struct Stall {
  Nanoseconds from;
  Nanoseconds to;
};

struct EndOptions {
  ReactorOptions reactor{};       ///< Only its limits and receive_timestamps have a meaning here.
  Path path{};                    ///< The path of what this end sends.
  std::vector<Stall> stalls{};    ///< In order of time, not overlapping.
  Nanoseconds wake_cost = 0;      ///< From an arrival to the turn, if the loop slept.
  Nanoseconds turn_cost = 1'000;  ///< Above 0, so that time passes for a loop that never sleeps.
  Nanoseconds delivery_cost = 0;
  Nanoseconds send_cost = 0;
  unsigned events_per_turn = 256;  ///< The most connections served in one turn.
  std::size_t read_size = 64 << 10;
  bool split = false;          ///< Streams: a read may end after any byte.
  std::size_t backlog = 4096;  ///< The most connections that wait to be accepted.
  unsigned accepts_per_turn = 256;
  double slow_readers = 0;                ///< Share of the accepted connections that read seldom...
  Nanoseconds slow_pause = kMillisecond;  ///< ...once in this time.
  std::size_t datagram_queue = 256;       ///< The most datagrams that wait in one socket.
};

/// What a test may watch: the simulator's own record of when bytes were sent, taken and answered.
struct Seen {
  enum class What { connecting, opened, sent, read, closed };

  What what;
  bool accepted;             ///< At the end that listens or is bound.
  std::uint64_t connection;  ///< Both ends of a connection have the same number.
  void* user;                ///< As given to connect(); null for accepted connections.
  std::uint64_t bytes;       ///< Of a stream: all until now.
  Bytes datagram;            ///< What was sent or read.
  Nanoseconds at;            ///< By the clock of the loop.
  Nanoseconds arrived;  ///< When the last byte had arrived; closed: the last of the connection.
  std::uint64_t unread = 0;  ///< closed: bytes of a stream that arrived and were never read.
  int error = 0;             ///< closed: the errno of on_close.
  bool by_peer = false;      ///< closed: for its FIN.
};

using Watch = std::function<void(const Seen&)>;

/// The connections or sockets of an end that the next turn serves, each once and in the order in
/// which they became ready. T has a member `ready`.
template <class T>
class ReadyQueue {
 public:
  bool empty() const noexcept { return queue_.empty(); }

  void add(T& one) {
    if (!std::exchange(one.ready, true)) queue_.push_back(&one);
  }
  void forget(T& one) {
    if (one.ready) std::erase(queue_, &one);
  }

  /// Calls serve_one(T&) for up to `most` of those that are ready now; one for which it returns
  /// true stays ready.
  template <class F>
  void serve(std::size_t most, F&& serve_one) {
    for (std::size_t left = std::min(queue_.size(), most); left > 0; --left) {
      T& one = *queue_.front();
      queue_.pop_front();
      one.ready = false;
      if (serve_one(one)) add(one);
    }
  }

 private:
  std::deque<T*> queue_;
};

class End {
 public:
  static constexpr const char* kName = "sim";

  End(Network& network, EndOptions options);
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  virtual ~End() = default;

  const char* name() const noexcept { return kName; }
  /// The time of this loop: ahead of the network's while it works.
  Nanoseconds now() const noexcept { return std::max(clock_, network_.now()); }
  Nanoseconds woke() const noexcept { return attention_.woke(); }
  Nanoseconds heard() const noexcept { return attention_.heard(); }
  Gap gap() const noexcept { return attention_.gap(); }
  Nanoseconds taken_until() const noexcept { return taken_until_; }
  Nanoseconds received() const noexcept { return received_; }
  const ReactorStats& stats() const noexcept { return stats_; }
  std::vector<std::string> describe() const { return {"simulated"}; }

  /// `watch` is called for all that this end sends and reads. To be set before the run.
  void watch(Watch watch) { watch_ = std::move(watch); }

 protected:
  /// Delivers what has arrived, to as many connections as a turn serves; true when nothing is left.
  virtual bool deliver() = 0;
  /// Announces the connections that have ended.
  virtual void reap() {}
  /// Whether the next turn comes at once.
  virtual bool has_work() const = 0;

  /// Begins the loop: its first turn comes at once.
  void begin(std::function<Nanoseconds(Nanoseconds)> on_turn);
  /// Makes a sleeping loop take a turn.
  void wake() { turn_at(network_.now() + options_.wake_cost); }
  /// Advances the clock of the loop.
  void spend(Nanoseconds cost) noexcept;
  void see(const Seen& seen) const {
    if (watch_) watch_(seen);
  }

  Network& network_;
  EndOptions options_;
  ReactorStats stats_;
  Nanoseconds received_ = 0;
  Nanoseconds path_busy_until_ = 0;

 private:
  void turn_at(Nanoseconds at);
  void turn();

  std::function<Nanoseconds(Nanoseconds)> on_turn_;
  Watch watch_;
  Nanoseconds clock_ = 0;  // The time until which the loop is busy.
  Attention attention_;
  Nanoseconds taken_until_ = 0;
  Nanoseconds next_turn_ = kNever;
};

}  // namespace wiremark::net::sim
