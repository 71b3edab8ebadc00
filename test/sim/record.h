// What a simulated network saw of a load, and what that load must have counted then.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "load/counts.h"
#include "load/exchange/exchange.h"
#include "load/plan/plan.h"
#include "measure/histogram.h"
#include "net/sim/end.h"

namespace wiremark::load {

/// Of one thread of a load. It knows the plan, and from the network when bytes were sent, taken and
/// answered; of the load it knows nothing. Every figure is worked out here again, from those.
class Record {
 public:
  /// `exchange` is one of its own, which says how long messages are and which one a datagram
  /// answers.
  Record(const Plan& plan, std::size_t thread, bool poisson, std::uint64_t seed,
         std::unique_ptr<Exchange> exchange, bool receive_timestamps);

  /// The plan's time 0, before any message has left.
  void starts(Nanoseconds start) noexcept { start_ = start; }

  /// Called for what the end of the load does.
  void see_load(const net::sim::Seen& seen, Nanoseconds taken_until);
  /// Called for what a server does, of any connection.
  void see_server(const net::sim::Seen& seen);

  /// The sentences about what differs; empty where every figure of `counts` is right. In a run that
  /// was cut short, what had not come due was not planned.
  std::vector<std::string> compare(const Counts& counts, bool cut_short) const;

  /// When the last thing happened that a load without --reconnect may wait for: what it has sent
  /// and nobody answered it gives up after its timeout.
  Nanoseconds over_at() const;

  /// Messages that the server's loop took in, warm-up included.
  std::uint64_t taken() const noexcept { return taken_; }

 private:
  struct Message {
    Nanoseconds planned;
    Nanoseconds sent;
    Nanoseconds answered = 0;  // Not before the end of the run: 0.
    bool measured;
    bool late = false;
    bool lost = false;  // With its connection.
    std::size_t size;
    std::uint64_t copies = 0;  // UDP: answers after the first.
    bool reordered = false;
  };

  struct Client {
    std::uint32_t connection;
    std::vector<Message> messages;
    std::uint32_t newest = 0;  // UDP: the latest message answered.
  };

  struct Stream {
    Client* client;
    Nanoseconds began;
    std::uint32_t first;     // Its first message,
    std::uint32_t answered;  // the next one to be answered,
    std::uint32_t taken;     // and taken in by the server.
    std::uint64_t sent_bytes = 0;
    std::uint64_t answered_bytes = 0;
    std::uint64_t taken_bytes = 0;
    bool open = false;
  };

  Client& client_of(void* user);
  Nanoseconds planned_of(std::uint64_t place) const;
  void sent(Client& client, Nanoseconds at, std::size_t head);
  void answer(Message& message, const net::sim::Seen& seen);
  void see_datagram(const net::sim::Seen& seen, Nanoseconds taken_until);
  void closed(Stream& stream, const net::sim::Seen& seen);
  void complain(std::string sentence);
  std::uint64_t planned_in_all() const;

  const Plan& plan_;
  std::size_t thread_;
  Nanoseconds start_ = 0;
  double step_ns_;
  std::vector<double> poisson_;  // Planned times since the start; empty with even arrivals.
  std::unique_ptr<Exchange> exchange_;
  bool receive_timestamps_;
  std::map<void*, std::unique_ptr<Client>> clients_;
  std::map<std::uint64_t, Stream> streams_;
  measure::Histogram connect_;
  Nanoseconds last_seen_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace wiremark::load
