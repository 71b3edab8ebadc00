// One thread's part of a load: opens its connections, sends, checks every reply, and counts.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "net/handler.h"
#include "netload/course.h"
#include "netload/load_plan.h"
#include "netload/traffic.h"

namespace wiremark::tools {

/// A handler that connects, takes its course, and awaits what is still to come. Connection c of the
/// load is the connection c / threads of thread c % threads. While it runs, connections that have
/// had their share of messages, or that broke, may be opened again; what comes due meanwhile waits
/// for them.
template <class Reactor, Traffic T>
class Load {
 public:
  Load(Reactor& reactor, T& traffic, const LoadPlan& plan, std::size_t thread, StartGate& gate,
       LoadCounts& counts)
      : reactor_(reactor),
        traffic_(traffic),
        plan_(plan),
        course_(plan, thread, gate, counts, kSweeps),
        gate_(gate),
        counts_(counts),
        clients_(course_.clients()),
        slots_(clients_.size() * plan.pipeline) {}

  void on_open(net::Conn& conn);
  std::size_t on_data(net::Conn& conn, Bytes bytes);
  void on_close(net::Conn& conn, int error);
  Nanoseconds on_turn(Nanoseconds now);

 private:
  struct Client {
    net::Conn* conn = nullptr;  // Null before connect(2) and after the end.
    std::uint32_t due = 0;      // Open loop: messages whose planned time has come.
    std::uint32_t sent = 0;
    std::uint32_t answered = 0;    // Or lost with an earlier connection.
    std::uint32_t got = 0;         // Bytes of the reply being received.
    std::uint32_t first_sent = 0;  // The first message of this connection.
    bool opened = false;
    bool refused = false;  // We ended it and have counted why.
    bool retired = false;  // It has had its share of messages.
    bool gone = false;     // It will not be opened again.

    std::uint32_t under_way() const noexcept { return sent - answered; }
    bool usable() const noexcept { return opened && !refused && !retired; }
  };

  // A message under way.
  struct Slot {
    Nanoseconds planned_ns;
    Nanoseconds sent_ns;  // Before the first message: of connect(2).
  };

  struct Reopening {
    Client* client;
    Nanoseconds at;
  };

  // Connections being opened at once by one thread, well below the listen backlog.
  static constexpr std::size_t kConnecting = 256;
  // The last part of the wait for a connection's time is not slept: a wake-up takes 20 to 60 us.
  static constexpr Nanoseconds kConnectSpin = 100 * kMicrosecond;
  // So that all threads stand ready for the first one's time.
  static constexpr Nanoseconds kConnectLead = kMillisecond;
  // In one timeout: a connection is ended a quarter of it late at most.
  static constexpr Nanoseconds kSweeps = 4;
  // After a connection broke: soon enough to find a server that comes back, seldom enough to spare
  // it.
  static constexpr Nanoseconds kReconnectPause = 100 * kMillisecond;

  std::size_t index(const Client& client) const noexcept {
    return static_cast<std::size_t>(&client - clients_.data());
  }
  std::uint32_t number(const Client& client) const noexcept {
    return course_.number(index(client));
  }
  Slot& slot(const Client& client, std::uint32_t sequence) noexcept {
    return slots_[index(client) * plan_.pipeline + sequence % plan_.pipeline];
  }
  bool measured(const Client& client, std::uint32_t sequence, Nanoseconds sent_ns) const noexcept {
    return course_.open_loop() ? course_.measured_by_plan(index(client), sequence)
                               : course_.warmed_up(sent_ns);
  }
  bool has_room(const Client& client) const noexcept {
    return client.usable() && client.under_way() < plan_.pipeline &&
           (plan_.churn == 0 || client.sent - client.first_sent < plan_.churn);
  }

  Nanoseconds connect_some(Nanoseconds now);
  void connect(Client& client);
  Nanoseconds reopen_some(Nanoseconds now);
  void closed(Client& client, bool retired);
  void come_due(Client& client);
  void send_first(Client& client, Nanoseconds now);
  void fill(Client& client, Nanoseconds now);
  void send(Client& client, Nanoseconds now);
  void answered(Client& client, Nanoseconds received, Nanoseconds now);
  void sweep(Nanoseconds now);
  bool over(Nanoseconds now);
  void forgo_rest();
  void finish();
  void fail(std::string kind);
  std::size_t refuse(net::Conn& conn, std::string kind, std::size_t size);

  Reactor& reactor_;
  T& traffic_;
  const LoadPlan& plan_;
  Course course_;
  StartGate& gate_;
  LoadCounts& counts_;
  std::vector<Client> clients_;
  std::vector<Slot> slots_;          // By connection, then sequence modulo pipeline.
  std::deque<Reopening> reopening_;  // The retired first, the broken behind them in their order.

  std::size_t next_connect_ = 0;
  std::size_t connecting_ = 0;
  std::size_t alive_ = 0;

  std::uint64_t under_way_ = 0;
  Nanoseconds idle_since_ = 0;     // Nothing but connections that are closed holds up the end.
  Nanoseconds forgo_at_ = kNever;  // Open loop: when what has not been sent never will be.
};

template <class Reactor, Traffic T>
std::size_t Load<Reactor, T>::on_data(net::Conn& conn, Bytes bytes) {
  Client& client = *static_cast<Client*>(conn.user);
  const Nanoseconds now = now_ns();
  const Nanoseconds received = reactor_.received();
  const std::size_t size = bytes.size();
  while (!bytes.empty()) {
    if (client.under_way() == 0) return refuse(conn, "more bytes came back than were sent", size);
    const Reply reply = traffic_.check(number(client), client.answered, client.got, bytes);
    if (reply.refused) {
      Refusal why = traffic_.refusal();
      if (counts_.wrong_reply.empty()) counts_.wrong_reply = std::move(why.detail);
      return refuse(conn, std::move(why.kind), size);
    }
    client.got += static_cast<std::uint32_t>(reply.consumed);
    bytes = bytes.subspan(reply.consumed);
    if (!reply.whole && reply.consumed == 0) break;
    if (reply.whole) answered(client, received, now);
  }
  return size - bytes.size();
}

template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::on_turn(Nanoseconds now) {
  if (course_.connecting()) {
    const Nanoseconds next = connect_some(now);
    if (next_connect_ < clients_.size() || connecting_ > 0) return next;
    course_.connected();
  }
  if (course_.waiting()) {
    if (const Nanoseconds until = course_.start(now); until != 0) return until;
    if (course_.open_loop() && plan_.duration > 0 && plan_.timeout > 0)
      forgo_at_ = course_.end() + plan_.timeout;
  }
  if (course_.done()) return kNever;
  const Nanoseconds reopen = reopen_some(now);
  const Nanoseconds next = course_.go(
      now, [&](std::size_t i) { come_due(clients_[i]); },
      [&](std::size_t i, Nanoseconds at) { send_first(clients_[i], at); });
  if (course_.time_to_sweep(now)) sweep(now);
  if (now >= forgo_at_) forgo_rest();
  if (over(now)) {
    finish();
    return kNever;
  }
  return std::min(
      {reopen, next, course_.next_sweep(), now < course_.end() ? course_.end() : forgo_at_});
}

// Open loop: the time of a connection's next message has come.
template <class Reactor, Traffic T>
void Load<Reactor, T>::come_due(Client& client) {
  if (client.gone) return;
  ++client.due;
  course_.came_due();
  if (!has_room(client)) return counts_.held.add();
  send(client, now_ns());
  reactor_.flush(*client.conn);
}

// Closed loop: the replies keep it going from then on.
template <class Reactor, Traffic T>
void Load<Reactor, T>::send_first(Client& client, Nanoseconds now) {
  if (!client.usable() || client.sent > 0) return;
  fill(client, now);
  reactor_.flush(*client.conn);
}

// Sends what the connection may and has room for.
template <class Reactor, Traffic T>
void Load<Reactor, T>::fill(Client& client, Nanoseconds now) {
  while (has_room(client) && course_.may_send(client.due, client.sent, now)) send(client, now);
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::send(Client& client, Nanoseconds now) {
  const std::uint32_t sequence = client.sent++;
  const std::size_t size = traffic_.send(*client.conn, number(client), sequence);
  Slot& slot = this->slot(client, sequence);
  slot.planned_ns = course_.planned_ns(index(client), sequence, now);
  slot.sent_ns = now;
  ++under_way_;
  course_.sent(measured(client, sequence, now), size, slot.planned_ns, now);
}

// An answer is timed when the kernel received it, or, without its word, when it is read.
template <class Reactor, Traffic T>
void Load<Reactor, T>::answered(Client& client, Nanoseconds received, Nanoseconds now) {
  const std::uint32_t sequence = client.answered++;
  const Slot& slot = this->slot(client, sequence);
  const std::uint32_t size = std::exchange(client.got, 0);
  --under_way_;
  if (measured(client, sequence, slot.sent_ns)) {
    const Nanoseconds came = received >= slot.sent_ns ? received : now;
    course_.answered(size, slot.planned_ns, slot.sent_ns, came, now);
  }
  fill(client, now);
  if (plan_.churn == 0 || client.under_way() > 0 || client.refused) return;
  if (client.sent - client.first_sent < plan_.churn) return;
  client.retired = true;
  reactor_.close(*client.conn);
}

template <class Reactor, Traffic T>
bool Load<Reactor, T>::over(Nanoseconds now) {
  if (alive_ + connecting_ + reopening_.size() == 0) return true;
  if (course_.all_sent(now) && under_way_ == 0) return true;
  // What is left waits for connections to open again. They have as long as a reply has.
  const bool stuck = alive_ == 0 || (course_.open_loop() && course_.all_due() && under_way_ == 0);
  if (!stuck || idle_since_ == 0) idle_since_ = stuck ? now : 0;
  return stuck && plan_.timeout > 0 && now >= idle_since_ + plan_.timeout;
}

// The rest of the plan was planned, and is never sent.
template <class Reactor, Traffic T>
void Load<Reactor, T>::forgo_rest() {
  course_.forgo();
  for (Client& client : clients_) client.due = client.sent;
  forgo_at_ = kNever;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::finish() {
  if (course_.open_loop() && !course_.all_due()) forgo_rest();
  course_.leave();
}

}  // namespace wiremark::tools

#include "netload/load_connections.h"  // The other half of the definitions.
