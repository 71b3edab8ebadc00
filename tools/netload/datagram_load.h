// One thread's part of a load over UDP: sends datagrams, finds out what became of each, and counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "net/datagram.h"
#include "netload/datagram_header.h"
#include "netload/ledger.h"
#include "netload/load_plan.h"
#include "netload/pattern.h"
#include "netload/plan_walk.h"

namespace wiremark::tools {

/// A handler beside Load, in the same phases and with the same plan and counts. A connection is a
/// connected socket, which nothing ends: a message without an answer is lost after the timeout, and
/// makes room for the next. Connection c of the load is the connection c / threads of thread
/// c % threads.
template <class Reactor>
class DatagramLoad {
 public:
  DatagramLoad(Reactor& reactor, const Pattern& pattern, bool verify, const LoadPlan& plan,
               std::size_t thread, StartGate& gate, LoadCounts& counts)
      : reactor_(reactor),
        pattern_(pattern),
        verify_(verify),
        plan_(plan),
        walk_(plan, thread),
        gate_(gate),
        counts_(counts),
        clients_(walk_.clients()),
        ledger_(clients_.size(), plan.pipeline, plan.timeout),
        budget_(plan.share_of(plan.requests, thread)) {}

  void on_open(net::Conn& conn);
  std::size_t on_data(net::Conn& conn, Bytes bytes);
  void on_datagram_error(net::Conn& conn, int error);
  void on_close(net::Conn& conn, int error);
  Nanoseconds on_turn(Nanoseconds now);

 private:
  enum class Phase { connecting, waiting, running, lingering, done };

  struct Client {
    net::Conn* conn = nullptr;  // Null before connect(2), and where that failed.
    std::uint32_t due = 0;      // Open loop: messages whose planned time has come.
    std::uint32_t sent = 0;
    std::uint32_t first_measured = kNone;  // Closed loop: the first message after the warm-up.
  };

  static constexpr std::uint32_t kNone = ~0u;
  // Connections being opened in one turn.
  static constexpr int kConnecting = 256;
  // Looks for lost messages in one timeout: each frees its place an eighth of it late at most.
  static constexpr Nanoseconds kSweeps = 8;

  std::size_t index(const Client& client) const noexcept {
    return static_cast<std::size_t>(&client - clients_.data());
  }
  bool open_loop() const noexcept { return plan_.open_loop(); }
  bool measured(std::size_t index, std::uint32_t sequence) const noexcept {
    return open_loop() ? walk_.measured(index, sequence)
                       : sequence >= clients_[index].first_measured;
  }
  bool may_send(Nanoseconds now) const noexcept {
    if (now < measure_from_) return true;
    return now < end_ && (plan_.requests == 0 || budget_ > 0);
  }
  bool has_room(std::size_t index) const noexcept {
    return clients_[index].conn && ledger_.has_room(index);
  }

  Nanoseconds connect_some();
  void start(Nanoseconds start_ns);
  void come_due(std::size_t index);
  Nanoseconds send_first();
  void fill(std::size_t index, Nanoseconds now);
  void send(std::size_t index, Nanoseconds now);
  void answered(std::size_t index, std::uint32_t sequence, const Ledger::Answer& answer,
                std::size_t size, Nanoseconds now);
  void wrong(std::size_t size, const char* why);
  void sweep(Nanoseconds now);
  bool all_sent(Nanoseconds now) const noexcept;
  void finish();

  Reactor& reactor_;
  const Pattern& pattern_;
  bool verify_;
  const LoadPlan& plan_;
  PlanWalk walk_;  // Open loop.
  StartGate& gate_;
  LoadCounts& counts_;
  std::vector<Client> clients_;
  Ledger ledger_;

  Phase phase_ = Phase::connecting;
  std::size_t next_connect_ = 0;
  std::size_t connecting_ = 0;

  std::size_t next_first_ = 0;  // Closed loop: who sends its first message.
  std::uint64_t budget_;        // Closed loop: requests left to this thread.
  std::uint64_t under_way_ = 0;
  std::uint64_t waiting_ = 0;  // Open loop: due, and its connection is full.
  bool heard_ = false;         // Told to the gate.
  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = kNever;
  Nanoseconds next_sweep_ = kNever;
  Nanoseconds linger_until_ = 0;
};

template <class Reactor>
void DatagramLoad<Reactor>::on_open(net::Conn&) {
  counts_.connected.add();
  --connecting_;
}

// Connecting a UDP socket fails at once, or not at all.
template <class Reactor>
void DatagramLoad<Reactor>::on_close(net::Conn& conn, int error) {
  static_cast<Client*>(conn.user)->conn = nullptr;
  --connecting_;
  counts_.failed.add();
  ++counts_.errors[error == EADDRNOTAVAIL || error == EAGAIN
                       ? kNoPort
                       : std::string("connect: ") + std::strerror(error)];
}

template <class Reactor>
std::size_t DatagramLoad<Reactor>::on_data(net::Conn& conn, Bytes bytes) {
  const std::size_t index = this->index(*static_cast<Client*>(conn.user));
  const auto connection = static_cast<std::uint32_t>(walk_.number(index));
  const std::size_t size = bytes.size();
  const auto header = DatagramHeader::read(bytes);
  if (!header || header->run != plan_.run || header->connection != connection ||
      header->sequence >= clients_[index].sent) {
    wrong(size, "a datagram came that answers nothing of this run");
    return size;
  }
  const Bytes expected = pattern_.message(connection, header->sequence);
  const Bytes body = bytes.subspan(DatagramHeader::kSize);
  const bool same =
      size == expected.size() && (!verify_ || std::memcmp(expected.data() + DatagramHeader::kSize,
                                                          body.data(), body.size()) == 0);
  if (!same) {
    wrong(size, "a reply differed from what was sent");
    return size;
  }
  const Nanoseconds now = now_ns();
  const std::uint32_t before = ledger_.under_way(index);
  const Ledger::Answer answer = ledger_.answer(index, header->sequence, header->place, now);
  under_way_ -= before - ledger_.under_way(index);
  if (!std::exchange(heard_, true)) gate_.heard.store(true, std::memory_order_relaxed);
  answered(index, header->sequence, answer, size, now);
  if (phase_ == Phase::running) fill(index, now);
  return size;
}

template <class Reactor>
void DatagramLoad<Reactor>::answered(std::size_t index, std::uint32_t sequence,
                                     const Ledger::Answer& answer, std::size_t size,
                                     Nanoseconds now) {
  if (!measured(index, sequence)) return;
  switch (answer.fate) {
    case Ledger::Fate::answered:
      counts_.answered.add();
      counts_.bytes_in.add(size);
      counts_.last_answer_ns.store(now, std::memory_order_relaxed);
      if (answer.reordered) counts_.reordered.add();
      if (open_loop()) counts_.service.record(now - answer.sent_ns);
      counts_.response.record(now - answer.planned_ns);
      break;
    case Ledger::Fate::late:
      counts_.late.add();
      break;
    case Ledger::Fate::duplicated:
      counts_.duplicated.add();
      break;
    case Ledger::Fate::unknown:
      wrong(size, "a reply names a place where its message is not");
  }
}

// Its message stays under way: the right answer may still come.
template <class Reactor>
void DatagramLoad<Reactor>::wrong(std::size_t size, const char* why) {
  counts_.wrong.add();
  if (counts_.wrong_reply.empty())
    counts_.wrong_reply = std::string(why) + " (" + std::to_string(size) + " bytes)";
}

// What could not be sent is lost. So is what nobody received; where nobody ever has, the run ends.
template <class Reactor>
void DatagramLoad<Reactor>::on_datagram_error(net::Conn&, int error) {
  const bool refused = error == ECONNREFUSED;
  counts_.failed.add();
  ++counts_.errors[refused ? kUnreachable : std::string("send: ") + std::strerror(error)];
  if (!refused || gate_.heard.load(std::memory_order_relaxed)) return;
  gate_.nobody_listens.store(true, std::memory_order_relaxed);
  gate_.over.request();
}

template <class Reactor>
Nanoseconds DatagramLoad<Reactor>::on_turn(Nanoseconds now) {
  if (phase_ == Phase::connecting) {
    const Nanoseconds next = connect_some();
    if (next_connect_ < clients_.size() || connecting_ > 0) return next;
    phase_ = Phase::waiting;
  }
  if (phase_ == Phase::waiting) {
    if (const Nanoseconds until = gate_.closed_until(now); until != 0) return until;
    start(gate_.start_ns);
  }
  if (phase_ == Phase::lingering && now >= linger_until_) finish();
  if (phase_ == Phase::done) return kNever;
  if (phase_ == Phase::lingering) return linger_until_;
  const Nanoseconds next =
      open_loop() ? walk_.go(now, counts_, [&](std::size_t i) { come_due(i); }) : send_first();
  if (now >= next_sweep_) sweep(now);
  if (all_sent(now) && under_way_ == 0) {
    phase_ = Phase::lingering;
    return linger_until_ = now + kLinger;
  }
  return std::min({next, next_sweep_, now < end_ ? end_ : kNever});
}

template <class Reactor>
Nanoseconds DatagramLoad<Reactor>::connect_some() {
  for (int burst = 0; next_connect_ < clients_.size(); ++burst, ++next_connect_) {
    if (burst == kConnecting) return now_ns();
    Client& client = clients_[next_connect_];
    auto socket =
        net::socket_for(plan_.target, plan_.socket, plan_.sources.of(walk_.number(next_connect_)));
    if (!socket) {
      counts_.failed.add();
      ++counts_.errors[socket.error().message()];
      continue;
    }
    ++connecting_;
    client.conn = &reactor_.connect(std::move(*socket), plan_.target, &client);
  }
  return kNever;
}

template <class Reactor>
void DatagramLoad<Reactor>::start(Nanoseconds start_ns) {
  phase_ = Phase::running;
  measure_from_ = start_ns + plan_.warmup;
  if (plan_.duration > 0) end_ = measure_from_ + plan_.duration;
  next_sweep_ = start_ns + plan_.timeout / kSweeps;
  if (open_loop()) walk_.start(start_ns);
}

// Open loop: the time of a connection's next message has come.
template <class Reactor>
void DatagramLoad<Reactor>::come_due(std::size_t index) {
  ++clients_[index].due;
  ++waiting_;
  if (!has_room(index)) return counts_.held.add();
  send(index, now_ns());
}

// Closed loop: every connection's first messages; the replies keep it going from then on.
template <class Reactor>
Nanoseconds DatagramLoad<Reactor>::send_first() {
  for (int burst = 0; next_first_ < clients_.size(); ++burst, ++next_first_) {
    const Nanoseconds now = now_ns();
    if (burst == PlanWalk::kBurst) return now;
    if (clients_[next_first_].sent == 0) fill(next_first_, now);
  }
  return kNever;
}

// Sends what the connection may and has room for.
template <class Reactor>
void DatagramLoad<Reactor>::fill(std::size_t index, Nanoseconds now) {
  const Client& client = clients_[index];
  while (has_room(index) && (open_loop() ? client.due > client.sent : may_send(now)))
    send(index, now);
}

template <class Reactor>
void DatagramLoad<Reactor>::send(std::size_t index, Nanoseconds now) {
  Client& client = clients_[index];
  const std::uint32_t sequence = client.sent++;
  const auto connection = static_cast<std::uint32_t>(walk_.number(index));
  const Bytes message = pattern_.message(connection, sequence);
  const Nanoseconds planned = open_loop() ? walk_.planned_ns(index, sequence) : now;
  const std::uint32_t place = ledger_.send(index, planned, now);
  ++under_way_;
  if (open_loop())
    --waiting_;
  else if (now >= measure_from_)
    client.first_measured = std::min(client.first_measured, sequence);
  if (measured(index, sequence)) {
    counts_.sent.add();
    counts_.bytes_out.add(message.size());
    if (open_loop())
      counts_.lateness.record(now - planned);
    else if (plan_.requests > 0)
      --budget_;
  }
  std::array<std::byte, DatagramHeader::kSize> header;
  DatagramHeader{plan_.run, connection, sequence, place}.write(header.data());
  const int error =
      reactor_.send_datagram(*client.conn, header, message.subspan(DatagramHeader::kSize));
  if (error != 0) on_datagram_error(*client.conn, error);
}

// Gives up what has been under way for too long, and sends what waited for its place.
template <class Reactor>
void DatagramLoad<Reactor>::sweep(Nanoseconds now) {
  next_sweep_ = now + plan_.timeout / kSweeps;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (ledger_.under_way(i) == 0) continue;
    const std::uint32_t expired = ledger_.expire(i, now);
    under_way_ -= expired;
    if (expired > 0) fill(i, now);
  }
}

template <class Reactor>
bool DatagramLoad<Reactor>::all_sent(Nanoseconds now) const noexcept {
  if (open_loop()) return walk_.done() && waiting_ == 0;
  return next_first_ == clients_.size() && !may_send(now);
}

template <class Reactor>
void DatagramLoad<Reactor>::finish() {
  phase_ = Phase::done;
  gate_.leave();
}

}  // namespace wiremark::tools
