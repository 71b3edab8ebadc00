// What a simulated network saw of a load, and what the load must therefore have counted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer_end.h"
#include "load/counts.h"
#include "load/exchange/exchange.h"
#include "load/plan/plan.h"
#include "measure/histogram.h"
#include "net/sim/end.h"

namespace wiremark::load {

/// The record of one thread of a load. It knows the plan, and from the network when bytes were
/// sent, taken and answered, and nothing of the load itself. It computes every figure again from
/// those.
class Record {
 public:
  /// `exchange` is a second one, which tells how long messages are and which one a datagram
  /// answers.
  Record(const Plan& plan, std::size_t thread, bool poisson, std::uint64_t seed,
         std::unique_ptr<Exchange> exchange, bool receive_timestamps, Answering answer);

  /// The plan's time 0, before any message has left.
  void starts(Nanoseconds start) noexcept { start_ = start; }

  /// To be called for everything that the end of the load does.
  void see_load(const net::sim::Seen& seen, Nanoseconds taken_until);
  /// To be called for everything that a server does.
  void see_server(const net::sim::Seen& seen);

  /// A sentence for each figure of `counts` that is wrong. In a run that was cut short, messages
  /// that were not due yet do not count as planned.
  std::vector<std::string> compare(const Counts& counts, bool cut_short) const;

  /// When the last thing happened that a load without --reconnect may wait for. An unanswered
  /// message is given up after the timeout, and so is a connection that does not open.
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
    bool lost = false;         // With its connection.
    Nanoseconds repeated = 0;  // When it was sent once more; never: 0.
    std::size_t size;
    std::size_t reply = 0;     // Bytes of its answer.
    std::uint64_t copies = 0;  // UDP: answers after the first.
    bool reordered = false;
  };

  struct Client {
    std::uint32_t connection;
    std::vector<Message> messages;
    std::uint32_t newest = 0;  // UDP: the latest message answered.
    bool opened = false;
    std::optional<std::uint32_t> repeats_from;  // What its next connection sends first, once more.
  };

  struct Stream {
    Client* client;
    Nanoseconds began;
    std::uint32_t first;     // Its first message,
    std::uint32_t next;      // the next one to be sent,
    std::uint32_t answered;  // answered,
    std::uint32_t taken;     // and taken in by the server.
    std::uint64_t sent_bytes = 0;
    std::uint64_t answered_bytes = 0;
    std::uint64_t taken_bytes = 0;
    std::uint64_t read_bytes = 0;  // By the server, of a message that is not whole too.
    bool open = false;
    bool connecting = true;
  };

  Client& client_of(void* user);
  Nanoseconds planned_of(std::uint64_t place) const;
  void sent(Client& client, Nanoseconds at, std::size_t head);
  void answer(Message& message, const net::sim::Seen& seen);
  void see_datagram(const net::sim::Seen& seen, Nanoseconds taken_until);
  void closed(Stream& stream, const net::sim::Seen& seen);
  bool may_repeat(const Stream& stream) const;
  void complain(std::string sentence);
  std::uint64_t planned_in_all() const;

  const Plan& plan_;
  std::size_t thread_;
  Nanoseconds start_ = 0;
  double step_ns_;
  std::vector<double> poisson_;  // Planned times since the start; empty with even arrivals.
  std::unique_ptr<Exchange> exchange_;
  bool receive_timestamps_;
  Answering answer_;  // Of the server; none where it echoes.
  std::map<void*, std::unique_ptr<Client>> clients_;
  std::map<std::uint64_t, Stream> streams_;
  measure::Histogram connect_;
  Nanoseconds last_seen_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t opened_again_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace wiremark::load
