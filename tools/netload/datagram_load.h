// One thread's part of a load over UDP: sends datagrams, finds out what became of each, and counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "net/datagram.h"
#include "netload/course.h"
#include "netload/datagram_header.h"
#include "netload/ledger.h"
#include "netload/load_plan.h"
#include "netload/pattern.h"

namespace wiremark::tools {

/// A handler beside Load, which takes the same course. A connection is a connected socket, which
/// nothing ends: a message without an answer is lost after the timeout, and makes room for the
/// next. When all is sent and none under way, it lingers for answers that are late or doubled.
/// Connection c of the load is the connection c / threads of thread c % threads.
template <class Reactor>
class DatagramLoad {
 public:
  DatagramLoad(Reactor& reactor, const Pattern& pattern, bool verify, const LoadPlan& plan,
               std::size_t thread, StartGate& gate, LoadCounts& counts)
      : reactor_(reactor),
        pattern_(pattern),
        verify_(verify),
        plan_(plan),
        course_(plan, thread, gate, counts, kSweeps),
        gate_(gate),
        counts_(counts),
        clients_(course_.clients()),
        ledger_(clients_.size(), plan.pipeline, plan.timeout) {}

  void on_datagram(net::DatagramConn& conn, Bytes bytes);
  void on_datagram_error(net::DatagramConn& conn, int error);
  Nanoseconds on_turn(Nanoseconds now);

 private:
  struct Client {
    net::DatagramConn* conn = nullptr;  // Null before connect(2), and where that failed.
    std::uint32_t due = 0;              // Open loop: messages whose planned time has come.
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
  bool measured(std::size_t index, std::uint32_t sequence) const noexcept {
    return course_.open_loop() ? course_.measured_by_plan(index, sequence)
                               : sequence >= clients_[index].first_measured;
  }
  bool has_room(std::size_t index) const noexcept {
    return clients_[index].conn && ledger_.has_room(index);
  }

  Nanoseconds connect_some();
  void come_due(std::size_t index);
  void fill(std::size_t index, Nanoseconds now);
  void send(std::size_t index, Nanoseconds now);
  void answered(std::size_t index, std::uint32_t sequence, const Ledger::Answer& answer,
                std::size_t size, Nanoseconds now);
  void wrong(std::size_t size, const char* why);
  void sweep(Nanoseconds now);

  Reactor& reactor_;
  const Pattern& pattern_;
  bool verify_;
  const LoadPlan& plan_;
  Course course_;
  StartGate& gate_;
  LoadCounts& counts_;
  std::vector<Client> clients_;
  Ledger ledger_;

  std::size_t next_connect_ = 0;

  std::uint64_t under_way_ = 0;
  bool heard_ = false;            // Told to the gate.
  Nanoseconds linger_until_ = 0;  // 0 while it sends or awaits.
};

template <class Reactor>
void DatagramLoad<Reactor>::on_datagram(net::DatagramConn& conn, Bytes bytes) {
  const std::size_t index = this->index(*static_cast<Client*>(conn.user));
  const std::uint32_t connection = course_.number(index);
  const std::size_t size = bytes.size();
  const auto header = DatagramHeader::read(bytes);
  if (!header || header->run != plan_.run || header->connection != connection ||
      header->sequence >= clients_[index].sent)
    return wrong(size, "a datagram came that answers nothing of this run");
  const Bytes expected = pattern_.message(connection, header->sequence);
  const Bytes body = bytes.subspan(DatagramHeader::kSize);
  const bool same =
      size == expected.size() && (!verify_ || std::memcmp(expected.data() + DatagramHeader::kSize,
                                                          body.data(), body.size()) == 0);
  if (!same) return wrong(size, "a reply differed from what was sent");
  const Nanoseconds now = now_ns();
  const std::uint32_t before = ledger_.under_way(index);
  const Ledger::Answer answer = ledger_.answer(index, header->sequence, header->place, now);
  under_way_ -= before - ledger_.under_way(index);
  if (!std::exchange(heard_, true)) gate_.heard.store(true, std::memory_order_relaxed);
  answered(index, header->sequence, answer, size, now);
  if (linger_until_ == 0) fill(index, now);
}

template <class Reactor>
void DatagramLoad<Reactor>::answered(std::size_t index, std::uint32_t sequence,
                                     const Ledger::Answer& answer, std::size_t size,
                                     Nanoseconds now) {
  if (!measured(index, sequence)) return;
  switch (answer.fate) {
    case Ledger::Fate::answered:
      course_.answered(size, answer.planned_ns, answer.sent_ns, now, now);
      if (answer.reordered) counts_.reordered.add();
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
void DatagramLoad<Reactor>::on_datagram_error(net::DatagramConn&, int error) {
  const bool refused = error == ECONNREFUSED;
  counts_.failed.add();
  ++counts_.errors[refused ? kUnreachable : std::string("send: ") + std::strerror(error)];
  if (!refused || gate_.heard.load(std::memory_order_relaxed)) return;
  gate_.nobody_listens.store(true, std::memory_order_relaxed);
  gate_.over.request();
}

template <class Reactor>
Nanoseconds DatagramLoad<Reactor>::on_turn(Nanoseconds now) {
  if (course_.connecting()) {
    const Nanoseconds next = connect_some();
    if (next_connect_ < clients_.size()) return next;
    course_.connected();
  }
  if (course_.waiting()) {
    if (const Nanoseconds until = course_.start(now); until != 0) return until;
  }
  if (course_.done()) return kNever;
  if (linger_until_ > 0) {
    if (now < linger_until_) return linger_until_;
    course_.leave();
    return kNever;
  }
  const Nanoseconds next = course_.go(
      now, [&](std::size_t i) { come_due(i); },
      [&](std::size_t i, Nanoseconds at) {
        if (clients_[i].sent == 0) fill(i, at);
      });
  if (course_.time_to_sweep(now)) sweep(now);
  if (course_.all_sent(now) && under_way_ == 0) return linger_until_ = now + kLinger;
  return std::min({next, course_.next_sweep(), now < course_.end() ? course_.end() : kNever});
}

template <class Reactor>
Nanoseconds DatagramLoad<Reactor>::connect_some() {
  for (int burst = 0; next_connect_ < clients_.size(); ++burst, ++next_connect_) {
    if (burst == kConnecting) return now_ns();
    Client& client = clients_[next_connect_];
    const auto conn = reactor_.connect(
        plan_.target, {plan_.socket, plan_.sources.of(course_.number(next_connect_))}, &client);
    if (conn) {
      client.conn = *conn;
      counts_.connected.add();
      continue;
    }
    const Error& error = conn.error();
    const bool no_port =
        error.operation == "connect" && (error.code == EADDRNOTAVAIL || error.code == EAGAIN);
    counts_.failed.add();
    ++counts_.errors[no_port ? kNoPort : error.message()];
  }
  return kNever;
}

// Open loop: the time of a connection's next message has come.
template <class Reactor>
void DatagramLoad<Reactor>::come_due(std::size_t index) {
  ++clients_[index].due;
  course_.came_due();
  if (!has_room(index)) return counts_.held.add();
  send(index, now_ns());
}

// Sends what the connection may and has room for.
template <class Reactor>
void DatagramLoad<Reactor>::fill(std::size_t index, Nanoseconds now) {
  const Client& client = clients_[index];
  while (has_room(index) && course_.may_send(client.due, client.sent, now)) send(index, now);
}

template <class Reactor>
void DatagramLoad<Reactor>::send(std::size_t index, Nanoseconds now) {
  Client& client = clients_[index];
  const std::uint32_t sequence = client.sent++;
  const std::uint32_t connection = course_.number(index);
  const Bytes message = pattern_.message(connection, sequence);
  const Nanoseconds planned = course_.planned_ns(index, sequence, now);
  const std::uint32_t place = ledger_.send(index, planned, now);
  ++under_way_;
  if (!course_.open_loop() && course_.warmed_up(now))
    client.first_measured = std::min(client.first_measured, sequence);
  course_.sent(measured(index, sequence), message.size(), planned, now);
  std::array<std::byte, DatagramHeader::kSize> header;
  DatagramHeader{plan_.run, connection, sequence, place}.write(header.data());
  const int error = reactor_.send(*client.conn, header, message.subspan(DatagramHeader::kSize));
  if (error != 0) on_datagram_error(*client.conn, error);
}

// Gives up what has been under way for too long, and sends what waited for its place.
template <class Reactor>
void DatagramLoad<Reactor>::sweep(Nanoseconds now) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (ledger_.under_way(i) == 0) continue;
    const std::uint32_t expired = ledger_.expire(i, now);
    under_way_ -= expired;
    if (expired > 0) fill(i, now);
  }
}

}  // namespace wiremark::tools
