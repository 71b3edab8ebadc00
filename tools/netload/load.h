// One thread's part of a load: opens its connections, sends, checks every reply, and counts.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "net/handler.h"
#include "netload/load_plan.h"
#include "netload/schedule.h"
#include "netload/traffic.h"

namespace wiremark::tools {

/// A handler in four phases: it connects, waits for the start gate, sends until the plan is done or
/// its time is over, and awaits what is still to come. Connection c of the load is the connection
/// c / threads of thread c % threads.
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
        send_times_(clients_.size() * plan.pipeline),
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
    std::uint32_t answered = 0;
    std::uint32_t got = 0;  // Bytes of the reply being received.
    bool opened = false;
    bool refused = false;  // We ended it and have counted why.

    std::uint32_t under_way() const noexcept { return sent - answered; }
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

  std::uint64_t number(const Client& client) const noexcept {
    return static_cast<std::uint64_t>(&client - clients_.data()) * plan_.threads + thread_;
  }
  Nanoseconds& send_time(const Client& client, std::uint32_t sequence) noexcept {
    const auto index = static_cast<std::size_t>(&client - clients_.data());
    return send_times_[index * plan_.pipeline + sequence % plan_.pipeline];
  }
  bool measured(const Client& client, std::uint32_t sequence, Nanoseconds sent_ns) const noexcept {
    if (schedule_) return sequence * plan_.connections + number(client) >= first_measured_;
    return sent_ns >= measure_from_;
  }

  Nanoseconds connect_some(Nanoseconds now);
  void start(Nanoseconds start_ns);
  Nanoseconds send_due(Nanoseconds now);
  Nanoseconds send_first();
  bool may_send(Nanoseconds now) const noexcept;
  void send(Client& client, Nanoseconds now);
  void answered(Client& client, Nanoseconds now);
  void sweep(Nanoseconds now);
  bool over(Nanoseconds now) const noexcept;
  void fail(std::string kind);
  std::size_t refuse(net::Conn& conn, std::string kind, std::size_t size);

  Reactor& reactor_;
  T& traffic_;
  const LoadPlan& plan_;
  std::size_t thread_;
  StartGate& gate_;
  LoadCounts& counts_;
  std::vector<Client> clients_;
  std::vector<Nanoseconds> send_times_;  // By connection, then sequence modulo pipeline.

  Phase phase_ = Phase::connecting;
  std::size_t next_connect_ = 0;
  std::size_t connecting_ = 0;
  std::size_t alive_ = 0;

  std::optional<Schedule> schedule_;  // Open loop only, from the start on.
  std::uint64_t first_measured_ =
      0;                             // Open loop: place in the plan where the measured part starts.
  std::uint64_t places_ = 0;         // Open loop: messages planned, of all threads.
  std::uint64_t next_sequence_ = 0;  // Open loop: what send_due() plans next.
  std::size_t next_client_ = 0;      // The same; in a closed loop, who sends its first.
  std::uint64_t budget_;             // Closed loop: requests left to this thread.
  std::uint64_t under_way_ = 0;
  std::uint64_t waiting_ = 0;  // Open loop: due, and not sent because the pipeline is full.
  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = kNever;
  Nanoseconds next_sweep_ = kNever;
};

template <class Reactor, Traffic T>
void Load<Reactor, T>::on_open(net::Conn& conn) {
  Client& client = *static_cast<Client*>(conn.user);
  client.opened = true;
  counts_.connect.record(now_ns() - send_time(client, 0));
  counts_.connected.add();
  --connecting_;
  ++alive_;
}

template <class Reactor, Traffic T>
std::size_t Load<Reactor, T>::on_data(net::Conn& conn, Bytes bytes) {
  Client& client = *static_cast<Client*>(conn.user);
  const Nanoseconds now = now_ns();
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
    if (reply.whole) answered(client, now);
  }
  return size - bytes.size();
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::on_close(net::Conn& conn, int error) {
  Client& client = *static_cast<Client*>(conn.user);
  client.conn = nullptr;
  if (!client.opened) {
    --connecting_;
    return fail(std::string("connect: ") + std::strerror(error));
  }
  --alive_;
  under_way_ -= client.under_way();
  waiting_ -= schedule_ ? client.due - client.sent : 0;
  if (!client.refused) fail(error == 0 ? "closed by the server" : std::strerror(error));
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
  const Nanoseconds next = plan_.open_loop() ? send_due(now) : send_first();
  if (now >= next_sweep_) sweep(now);
  if (over(now)) {
    phase_ = Phase::done;
    if (gate_.running.fetch_sub(1) == 1) gate_.over.request();
    return kNever;
  }
  return std::min({next, next_sweep_, now < end_ ? end_ : kNever});
}

// Starts the connections whose time has come; returns when the next one's comes.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::connect_some(Nanoseconds now) {
  Nanoseconds from = 0;  // Set by the thread that comes first, for all.
  const Nanoseconds first = now + (plan_.connect_rate_hz > 0 ? kConnectLead : 0);
  if (gate_.connect_ns.compare_exchange_strong(from, first)) from = first;
  for (; next_connect_ < clients_.size(); ++next_connect_) {
    Client& client = clients_[next_connect_];
    if (plan_.connect_rate_hz > 0) {
      const double after = static_cast<double>(number(client)) * kSecond / plan_.connect_rate_hz;
      const Nanoseconds due = from + static_cast<Nanoseconds>(after);
      if (due > now_ns() + kConnectSpin) return due - kConnectSpin;
      while (due > now_ns()) continue;
    } else if (connecting_ >= kConnecting) {
      return kNever;  // The next one to open brings us back.
    }
    auto socket = net::socket_for(plan_.target, plan_.socket, plan_.sources.of(number(client)));
    if (!socket) {
      fail(socket.error().message());
      continue;
    }
    ++connecting_;
    send_time(client, 0) = now_ns();
    client.conn = &reactor_.connect(std::move(*socket), plan_.target, &client);
  }
  return kNever;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::start(Nanoseconds start_ns) {
  phase_ = Phase::running;
  measure_from_ = start_ns + plan_.warmup;
  if (plan_.duration > 0) end_ = measure_from_ + plan_.duration;
  if (plan_.timeout > 0) next_sweep_ = start_ns + plan_.timeout / 4;
  if (!plan_.open_loop()) return;
  schedule_.emplace(start_ns, plan_.connections, plan_.rate_hz);
  first_measured_ = schedule_->planned_within(plan_.warmup);
  places_ = UINT64_MAX;
  if (plan_.duration > 0) places_ = schedule_->planned_within(plan_.warmup + plan_.duration);
  if (plan_.requests > 0) places_ = std::min(places_, first_measured_ + plan_.requests);
}

// Open loop: sends what is due; returns when the next message is.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::send_due(Nanoseconds now) {
  for (int burst = 0;; ++burst) {
    Client& client = clients_[next_client_];
    const std::uint64_t place = next_sequence_ * plan_.connections + number(client);
    if (place >= places_) return kNever;
    const Nanoseconds planned = schedule_->at(number(client), next_sequence_);
    if (planned > now) {
      now = now_ns();
      if (planned > now) return planned;
    }
    if (burst == kBurst) return now;
    if (place >= first_measured_) {
      counts_.planned.add();
      if (now > planned + measure::kLateNs) counts_.overdue.add();
    }
    if (client.conn) {
      ++client.due;
      ++waiting_;
      if (client.under_way() < plan_.pipeline) {
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
    if (!client.conn) continue;
    for (unsigned i = 0; i < plan_.pipeline && may_send(now); ++i) send(client, now);
    reactor_.flush(*client.conn);
  }
  return kNever;
}

template <class Reactor, Traffic T>
bool Load<Reactor, T>::may_send(Nanoseconds now) const noexcept {
  if (now < measure_from_) return true;
  return now < end_ && (plan_.requests == 0 || budget_ > 0);
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::send(Client& client, Nanoseconds now) {
  const std::uint32_t sequence = client.sent++;
  const auto connection = static_cast<std::uint32_t>(number(client));
  const std::size_t size = traffic_.send(*client.conn, connection, sequence);
  send_time(client, sequence) = now;
  ++under_way_;
  if (measured(client, sequence, now)) {
    counts_.sent.add();
    counts_.bytes_out.add(size);
    if (schedule_)
      counts_.lateness.record(now - schedule_->at(number(client), sequence));
    else if (plan_.requests > 0)
      --budget_;
  }
  if (schedule_) --waiting_;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::answered(Client& client, Nanoseconds now) {
  const std::uint32_t sequence = client.answered++;
  const Nanoseconds sent_ns = send_time(client, sequence);
  const std::uint32_t size = std::exchange(client.got, 0);
  --under_way_;
  if (measured(client, sequence, sent_ns)) {
    counts_.answered.add();
    counts_.bytes_in.add(size);
    counts_.last_answer_ns.store(now, std::memory_order_relaxed);
    if (schedule_) counts_.service.record(now - sent_ns);
    counts_.response.record(now - (schedule_ ? schedule_->at(number(client), sequence) : sent_ns));
  }
  if (schedule_ ? client.due > client.sent : may_send(now)) send(client, now);
}

// Ends connections whose oldest message has been under way for too long.
template <class Reactor, Traffic T>
void Load<Reactor, T>::sweep(Nanoseconds now) {
  next_sweep_ = now + plan_.timeout / 4;
  for (Client& client : clients_) {
    if (!client.conn || client.refused || client.under_way() == 0) continue;
    if (now < send_time(client, client.answered) + plan_.timeout) continue;
    refuse(*client.conn, "no reply within the timeout", 0);
  }
}

template <class Reactor, Traffic T>
bool Load<Reactor, T>::over(Nanoseconds now) const noexcept {
  if (alive_ == 0) return true;
  if (under_way_ > 0 || waiting_ > 0) return false;
  if (!schedule_) return !may_send(now);
  return next_sequence_ * plan_.connections + number(clients_[next_client_]) >= places_;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::fail(std::string kind) {
  counts_.failed.add();
  ++counts_.errors[std::move(kind)];
}

template <class Reactor, Traffic T>
std::size_t Load<Reactor, T>::refuse(net::Conn& conn, std::string kind, std::size_t size) {
  Client& client = *static_cast<Client*>(conn.user);
  client.refused = true;
  fail(std::move(kind));
  reactor_.close(conn);
  return size;
}

}  // namespace wiremark::tools
