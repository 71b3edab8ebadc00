// One thread's part of a load: opens its connections, sends, checks every reply, and counts.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "net/handler.h"
#include "netload/load_plan.h"
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
        thread_(thread),
        gate_(gate),
        counts_(counts),
        clients_((plan.connections - thread + plan.threads - 1) / plan.threads),
        slots_(clients_.size() * plan.pipeline),
        budget_((plan.requests - thread + plan.threads - 1) / plan.threads) {}

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
  // Sends between two looks at what has arrived.
  static constexpr int kBurst = 64;
  static constexpr Nanoseconds kGatePoll = 500 * kMicrosecond;
  // After a connection broke: soon enough to find a server that comes back, seldom enough to spare
  // it.
  static constexpr Nanoseconds kReconnectPause = 100 * kMillisecond;

  std::uint64_t number(const Client& client) const noexcept {
    return static_cast<std::uint64_t>(&client - clients_.data()) * plan_.threads + thread_;
  }
  Slot& slot(const Client& client, std::uint32_t sequence) noexcept {
    const auto index = static_cast<std::size_t>(&client - clients_.data());
    return slots_[index * plan_.pipeline + sequence % plan_.pipeline];
  }
  bool open_loop() const noexcept { return plan_.open_loop(); }
  std::uint64_t place(const Client& client, std::uint64_t sequence) const noexcept {
    return plan_.schedule->place(number(client), sequence);
  }
  Nanoseconds planned_ns(std::uint64_t place) const noexcept {
    return start_ns_ + plan_.schedule->at(place);
  }
  bool measured(const Client& client, std::uint32_t sequence, Nanoseconds sent_ns) const noexcept {
    if (open_loop()) return place(client, sequence) >= first_measured_;
    return sent_ns >= measure_from_;
  }
  bool has_room(const Client& client) const noexcept {
    return client.usable() && client.under_way() < plan_.pipeline &&
           (plan_.churn == 0 || client.sent - client.first_sent < plan_.churn);
  }
  bool plan_done() const noexcept {
    return place(clients_[next_client_], next_sequence_) >= plan_.schedule->places();
  }

  Nanoseconds connect_some(Nanoseconds now);
  void connect(Client& client);
  Nanoseconds reopen_some(Nanoseconds now);
  void closed(Client& client, bool retired);
  void start(Nanoseconds start_ns);
  Nanoseconds gathered(Nanoseconds planned) const noexcept;
  Nanoseconds send_due(Nanoseconds now);
  Nanoseconds send_first();
  bool may_send(Nanoseconds now) const noexcept;
  void fill(Client& client, Nanoseconds now);
  void send(Client& client, Nanoseconds now);
  void answered(Client& client, Nanoseconds received, Nanoseconds now);
  void sweep(Nanoseconds now);
  bool over(Nanoseconds now);
  std::uint64_t own_of(std::uint64_t places) const noexcept;
  void forgo_rest();
  void finish();
  void fail(std::string kind);
  std::size_t refuse(net::Conn& conn, std::string kind, std::size_t size);

  Reactor& reactor_;
  T& traffic_;
  const LoadPlan& plan_;
  std::size_t thread_;
  StartGate& gate_;
  LoadCounts& counts_;
  std::vector<Client> clients_;
  std::vector<Slot> slots_;          // By connection, then sequence modulo pipeline.
  std::deque<Reopening> reopening_;  // The retired first, the broken behind them in their order.

  Phase phase_ = Phase::connecting;
  std::size_t next_connect_ = 0;
  std::size_t connecting_ = 0;
  std::size_t alive_ = 0;

  std::uint64_t first_measured_ = 0;  // Open loop: the place where the measured part starts.
  std::uint64_t next_sequence_ = 0;   // Open loop: what send_due() plans next.
  std::size_t next_client_ = 0;       // The same; in a closed loop, who sends its first.
  std::uint64_t budget_;              // Closed loop: requests left to this thread.
  std::uint64_t under_way_ = 0;
  std::uint64_t waiting_ = 0;   // Open loop: due, and its connection is full or closed.
  Nanoseconds idle_since_ = 0;  // Nothing but connections that are closed holds up the end.
  Nanoseconds start_ns_ = 0;
  Nanoseconds next_send_ = 0;  // Open loop: when send_due() has something to send at the earliest.
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
    const Nanoseconds start_ns = gate_.start_ns.load(std::memory_order_acquire);
    if (start_ns == 0) return now + kGatePoll;
    if (now < start_ns) return start_ns;
    start(start_ns);
  }
  if (phase_ == Phase::done) return kNever;
  const Nanoseconds reopen = reopen_some(now);
  const Nanoseconds next = open_loop() ? send_due(now) : send_first();
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
  start_ns_ = start_ns;
  measure_from_ = start_ns + plan_.warmup;
  if (plan_.duration > 0) end_ = measure_from_ + plan_.duration;
  if (plan_.timeout > 0) next_sweep_ = start_ns + plan_.timeout / 4;
  if (open_loop() && plan_.duration > 0 && plan_.timeout > 0) forgo_at_ = end_ + plan_.timeout;
  if (open_loop()) first_measured_ = plan_.schedule->first_from(plan_.warmup);
}

// The first moment of the plan's grid at which a message that is due at `planned` may be sent.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::gathered(Nanoseconds planned) const noexcept {
  if (plan_.gather == 0) return planned;
  const Nanoseconds steps = (planned - start_ns_ + plan_.gather - 1) / plan_.gather;
  return start_ns_ + steps * plan_.gather;
}

// Open loop: sends what is due; returns when the next message is.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::send_due(Nanoseconds now) {
  if (now < next_send_) return next_send_;
  for (int burst = 0;; ++burst) {
    Client& client = clients_[next_client_];
    if (plan_done()) return kNever;
    const std::uint64_t place = this->place(client, next_sequence_);
    const Nanoseconds planned = planned_ns(place);
    if (planned > now) {
      now = now_ns();
      if (planned > now) return next_send_ = gathered(planned);
    }
    if (burst == kBurst) return now;
    if (place >= first_measured_) {
      counts_.planned.add();
      if (now > planned + measure::kLateNs) counts_.overdue.add();
    }
    if (!client.gone) {
      ++client.due;
      ++waiting_;
      if (has_room(client)) {
        send(client, now_ns());
        reactor_.flush(*client.conn);
      } else {
        counts_.held.add();
      }
    }
    if (++next_client_ == clients_.size()) {
      next_client_ = 0;
      ++next_sequence_;
    }
  }
}

// Closed loop: every connection's first messages; the replies keep it going from then on.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::send_first() {
  for (int burst = 0; next_client_ < clients_.size(); ++burst, ++next_client_) {
    const Nanoseconds now = now_ns();
    if (burst == kBurst) return now;
    Client& client = clients_[next_client_];
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
  slot.planned_ns = open_loop() ? planned_ns(place(client, sequence)) : now;
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
  const bool all_sent = open_loop() ? plan_done() && waiting_ == 0 : !may_send(now);
  if (all_sent && under_way_ == 0) return true;
  // What is left waits for connections to open again. They have as long as a reply has.
  const bool stuck = alive_ == 0 || (open_loop() && plan_done() && under_way_ == 0);
  if (!stuck || idle_since_ == 0) idle_since_ = stuck ? now : 0;
  return stuck && plan_.timeout > 0 && now >= idle_since_ + plan_.timeout;
}

// How many of the first `places` of the plan are this thread's.
template <class Reactor, Traffic T>
std::uint64_t Load<Reactor, T>::own_of(std::uint64_t places) const noexcept {
  const std::uint64_t rest = places % plan_.connections;
  const std::uint64_t of_rest =
      rest > thread_ ? (rest - thread_ + plan_.threads - 1) / plan_.threads : 0;
  return places / plan_.connections * clients_.size() + of_rest;
}

// The rest of the plan was planned, and is never sent.
template <class Reactor, Traffic T>
void Load<Reactor, T>::forgo_rest() {
  const std::uint64_t come_due = next_sequence_ * clients_.size() + next_client_;
  const std::uint64_t from = std::max(come_due, own_of(first_measured_));
  counts_.planned.add(own_of(plan_.schedule->places()) - from);
  next_sequence_ = plan_.schedule->places() / plan_.connections + 1;
  for (Client& client : clients_) client.due = client.sent;
  waiting_ = 0;
  forgo_at_ = kNever;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::finish() {
  phase_ = Phase::done;
  if (open_loop() && !plan_done()) forgo_rest();
  if (gate_.running.fetch_sub(1) == 1) gate_.over.request();
}

}  // namespace wiremark::tools

#include "netload/load_connections.h"  // The other half of the definitions.
