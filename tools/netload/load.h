// One thread's part of a load: opens its connections, sends, checks every reply, and counts.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "net/handler.h"
#include "netload/load_plan.h"
#include "netload/plan_walk.h"
#include "netload/traffic.h"

namespace wiremark::tools {

/// A handler in four phases: it connects, waits for the start gate, sends until the plan is done or
/// its time is over, and awaits what is still to come. Connection c of the load is the connection
/// c / threads of thread c % threads. While it runs, connections that have had their share of
/// messages, or that broke, may be opened again; what comes due meanwhile waits for them.
template <class Reactor, Traffic T>
class Load {
 public:
  Load(Reactor& reactor, T& traffic, const LoadPlan& plan, std::size_t thread, StartGate& gate,
       LoadCounts& counts)
      : reactor_(reactor),
        traffic_(traffic),
        plan_(plan),
        walk_(plan, thread),
        gate_(gate),
        counts_(counts),
        clients_(walk_.clients()),
        slots_(clients_.size() * plan.pipeline),
        budget_(plan.share_of(plan.requests, thread)) {}

  void on_open(net::Conn& conn);
  std::size_t on_data(net::Conn& conn, Bytes bytes);
  void on_close(net::Conn& conn, int error);
  Nanoseconds on_turn(Nanoseconds now);

 private:
  enum class Phase { connecting, waiting, running, done };

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
  // After a connection broke: soon enough to find a server that comes back, seldom enough to spare
  // it.
  static constexpr Nanoseconds kReconnectPause = 100 * kMillisecond;

  std::size_t index(const Client& client) const noexcept {
    return static_cast<std::size_t>(&client - clients_.data());
  }
  std::uint64_t number(const Client& client) const noexcept { return walk_.number(index(client)); }
  Slot& slot(const Client& client, std::uint32_t sequence) noexcept {
    return slots_[index(client) * plan_.pipeline + sequence % plan_.pipeline];
  }
  bool open_loop() const noexcept { return plan_.open_loop(); }
  bool measured(const Client& client, std::uint32_t sequence, Nanoseconds sent_ns) const noexcept {
    return open_loop() ? walk_.measured(index(client), sequence) : sent_ns >= measure_from_;
  }
  bool has_room(const Client& client) const noexcept {
    return client.usable() && client.under_way() < plan_.pipeline &&
           (plan_.churn == 0 || client.sent - client.first_sent < plan_.churn);
  }

  Nanoseconds connect_some(Nanoseconds now);
  void connect(Client& client);
  Nanoseconds reopen_some(Nanoseconds now);
  void closed(Client& client, bool retired);
  void start(Nanoseconds start_ns);
  void come_due(Client& client);
  Nanoseconds send_first();
  bool may_send(Nanoseconds now) const noexcept;
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
  PlanWalk walk_;  // Open loop.
  StartGate& gate_;
  LoadCounts& counts_;
  std::vector<Client> clients_;
  std::vector<Slot> slots_;          // By connection, then sequence modulo pipeline.
  std::deque<Reopening> reopening_;  // The retired first, the broken behind them in their order.

  Phase phase_ = Phase::connecting;
  std::size_t next_connect_ = 0;
  std::size_t connecting_ = 0;
  std::size_t alive_ = 0;

  std::size_t next_first_ = 0;  // Closed loop: who sends its first message.
  std::uint64_t budget_;        // Closed loop: requests left to this thread.
  std::uint64_t under_way_ = 0;
  std::uint64_t waiting_ = 0;   // Open loop: due, and its connection is full or closed.
  Nanoseconds idle_since_ = 0;  // Nothing but connections that are closed holds up the end.
  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = kNever;
  Nanoseconds forgo_at_ = kNever;  // Open loop: when what has not been sent never will be.
  Nanoseconds next_sweep_ = kNever;
};

template <class Reactor, Traffic T>
std::size_t Load<Reactor, T>::on_data(net::Conn& conn, Bytes bytes) {
  Client& client = *static_cast<Client*>(conn.user);
  const Nanoseconds now = now_ns();
  const Nanoseconds received = reactor_.received_ns();
  const std::size_t size = bytes.size();
  while (!bytes.empty()) {
    if (client.under_way() == 0) return refuse(conn, "more bytes came back than were sent", size);
    const auto connection = static_cast<std::uint32_t>(number(client));
    const Reply reply = traffic_.check(connection, client.answered, client.got, bytes);
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
  if (phase_ == Phase::connecting) {
    const Nanoseconds next = connect_some(now);
    if (next_connect_ < clients_.size() || connecting_ > 0) return next;
    phase_ = Phase::waiting;
  }
  if (phase_ == Phase::waiting) {
    if (const Nanoseconds until = gate_.closed_until(now); until != 0) return until;
    start(gate_.start_ns);
  }
  if (phase_ == Phase::done) return kNever;
  const Nanoseconds reopen = reopen_some(now);
  const Nanoseconds next =
      open_loop() ? walk_.go(now, counts_, [&](std::size_t i) { come_due(clients_[i]); })
                  : send_first();
  if (now >= next_sweep_) sweep(now);
  if (now >= forgo_at_) forgo_rest();
  if (over(now)) {
    finish();
    return kNever;
  }
  return std::min({reopen, next, next_sweep_, now < end_ ? end_ : forgo_at_});
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::start(Nanoseconds start_ns) {
  phase_ = Phase::running;
  measure_from_ = start_ns + plan_.warmup;
  if (plan_.duration > 0) end_ = measure_from_ + plan_.duration;
  if (plan_.timeout > 0) next_sweep_ = start_ns + plan_.timeout / 4;
  if (open_loop() && plan_.duration > 0 && plan_.timeout > 0) forgo_at_ = end_ + plan_.timeout;
  if (open_loop()) walk_.start(start_ns);
}

// Open loop: the time of a connection's next message has come.
template <class Reactor, Traffic T>
void Load<Reactor, T>::come_due(Client& client) {
  if (client.gone) return;
  ++client.due;
  ++waiting_;
  if (!has_room(client)) return counts_.held.add();
  send(client, now_ns());
  reactor_.flush(*client.conn);
}

// Closed loop: every connection's first messages; the replies keep it going from then on.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::send_first() {
  for (int burst = 0; next_first_ < clients_.size(); ++burst, ++next_first_) {
    const Nanoseconds now = now_ns();
    if (burst == PlanWalk::kBurst) return now;
    Client& client = clients_[next_first_];
    if (!client.usable() || client.sent > 0) continue;
    fill(client, now);
    reactor_.flush(*client.conn);
  }
  return kNever;
}

template <class Reactor, Traffic T>
bool Load<Reactor, T>::may_send(Nanoseconds now) const noexcept {
  if (now < measure_from_) return true;
  return now < end_ && (plan_.requests == 0 || budget_ > 0);
}

// Sends what the connection may and has room for.
template <class Reactor, Traffic T>
void Load<Reactor, T>::fill(Client& client, Nanoseconds now) {
  while (has_room(client) && (open_loop() ? client.due > client.sent : may_send(now)))
    send(client, now);
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::send(Client& client, Nanoseconds now) {
  const std::uint32_t sequence = client.sent++;
  const auto connection = static_cast<std::uint32_t>(number(client));
  const std::size_t size = traffic_.send(*client.conn, connection, sequence);
  Slot& slot = this->slot(client, sequence);
  slot.planned_ns = open_loop() ? walk_.planned_ns(index(client), sequence) : now;
  slot.sent_ns = now;
  ++under_way_;
  if (measured(client, sequence, now)) {
    counts_.sent.add();
    counts_.bytes_out.add(size);
    if (open_loop())
      counts_.lateness.record(now - slot.planned_ns);
    else if (plan_.requests > 0)
      --budget_;
  }
  if (open_loop()) --waiting_;
}

// An answer is timed when the kernel received it, or, without its word, when it is read.
template <class Reactor, Traffic T>
void Load<Reactor, T>::answered(Client& client, Nanoseconds received, Nanoseconds now) {
  const std::uint32_t sequence = client.answered++;
  const Slot& slot = this->slot(client, sequence);
  const std::uint32_t size = std::exchange(client.got, 0);
  --under_way_;
  if (measured(client, sequence, slot.sent_ns)) {
    counts_.answered.add();
    counts_.bytes_in.add(size);
    counts_.last_answer_ns.store(now, std::memory_order_relaxed);
    const Nanoseconds came = received >= slot.sent_ns ? received : now;
    if (open_loop()) counts_.service.record(came - slot.sent_ns);
    counts_.response.record(came - slot.planned_ns);
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
  const bool all_sent = open_loop() ? walk_.done() && waiting_ == 0 : !may_send(now);
  if (all_sent && under_way_ == 0) return true;
  // What is left waits for connections to open again. They have as long as a reply has.
  const bool stuck = alive_ == 0 || (open_loop() && walk_.done() && under_way_ == 0);
  if (!stuck || idle_since_ == 0) idle_since_ = stuck ? now : 0;
  return stuck && plan_.timeout > 0 && now >= idle_since_ + plan_.timeout;
}

// The rest of the plan was planned, and is never sent.
template <class Reactor, Traffic T>
void Load<Reactor, T>::forgo_rest() {
  walk_.forgo(counts_);
  for (Client& client : clients_) client.due = client.sent;
  waiting_ = 0;
  forgo_at_ = kNever;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::finish() {
  phase_ = Phase::done;
  if (open_loop() && !walk_.done()) forgo_rest();
  gate_.leave();
}

}  // namespace wiremark::tools

#include "netload/load_connections.h"  // The other half of the definitions.
