// A message's way to its connection, and its answer's into the counts: what runs once a message and
// costs less than a call.
#pragma once

#include <algorithm>

#include "load/load.h"
#include "measure/behind.h"

namespace wiremark::load {

template <Carrier Net>
inline bool Load<Net>::has_room(std::size_t client) const noexcept {
  const Client& one = clients_[client];
  return book_.has_room(client) && one.usable &&
         (plan_.churn == 0 || book_.sent(client) - one.first_sent < plan_.churn);
}

template <Carrier Net>
inline bool Load<Net>::may_send(std::size_t client, Nanoseconds now) const noexcept {
  if (open_loop_) return clients_[client].due > book_.sent(client);
  if (now < measure_from_) return true;
  return now < end_ && (plan_.requests == 0 || budget_ > 0);
}

// Hands a message to its connection; returns its bytes.
template <Carrier Net>
inline std::size_t Load<Net>::transmit(std::size_t client, MessageId message) {
  Handle& conn = *clients_[client].conn;
  if constexpr (kStreams) {
    const bool lasting = exchange_.lasting();
    if (!lasting) conn.copy_lent();  // This message overwrites the one before.
    const Bytes request = exchange_.request(message);
    if (lasting)
      conn.lend(request);
    else
      conn.lend_until_flush(request);
    return request.size();
  } else {
    const Bytes head = exchange_.head(message);
    const Bytes request = exchange_.request(message);
    if (const int error = net_.send(conn, head, request); error != 0) {
      on_datagram_error(conn, error);
      if (one_way_) drop(message);
    }
    return head.size() + request.size();
  }
}

// `held` messages waited for room after the load came to them; others are sent when they are due.
template <Carrier Net>
inline void Load<Net>::send(std::size_t client, Nanoseconds now, bool held) {
  const std::uint32_t next = book_.sent(client);
  Nanoseconds planned = now, own_ns = 0;
  if (open_loop_) {
    planned = walk_.planned_ns(client, next);
    const Nanoseconds wanted = walk_.gathered(planned);
    own_ns = held ? gaps_.lateness(planned) : now > wanted ? now - wanted : 0;
  }
  const MessageId message = this->message(client, book_.enter(client, planned, now, own_ns));
  ++under_way_;
  bool measured = now >= measure_from_;
  if (open_loop_) {
    --waiting_;
    measured = walk_.measured(client, next);
  } else if (measured && clients_[client].first_measured == kNone) {
    clients_[client].first_measured = next;
  }
  const std::size_t size = transmit(client, message);
  Counts& counts = counts_;
  if (in_time(measured, now)) counts.bytes_out.add(size);
  if (!measured) return;
  counts.sent.add();
  if (open_loop_) {
    if (now > planned + measure::kBehindNs) {
      counts.behind.add();
      // One that was held is the load's own fault as far as the load came to it too late.
      if (!held || own_ns > measure::kBehindNs) counts.overdue.add();
    }
    return counts.lateness.record(now - planned);
  }
  counts.planned.add();
  if (plan_.requests > 0) --budget_;
}

// Sends what the connection may send and has room for. What follows waits for the next turn, since
// the kernel may take it all, for ever.
template <Carrier Net>
void Load<Net>::push(std::size_t client, Nanoseconds now) {
  while (has_room(client) && may_send(client, now)) {
    send(client, now, true);
    settle_later(client, net::Handed::queued);
    now = net_.now();
  }
}

// Its messages are looked at in the next turn, which comes at once if only that is missing.
template <Carrier Net>
void Load<Net>::settle_later(std::size_t client, net::Handed handed) {
  some_queued_ |= handed == net::Handed::queued;
  if (clients_[client].unsettled) return;
  clients_[client].unsettled = true;
  unsettled_.push_back(client);
}

// Sends what the connection may send and has room for.
template <Carrier Net>
inline void Load<Net>::fill(std::size_t client, Nanoseconds now) {
  if (one_way_) return push(client, now);
  for (bool first = true; has_room(client) && may_send(client, now); first = false) {
    if (!kStreams && !first) now = net_.now();  // The send before was a system call.
    send(client, now, true);
  }
}

// It `came` when the kernel says, or when it was read; a loop that is never held up would have
// `heard` of it then.
template <Carrier Net>
inline void Load<Net>::answered(MessageId message, const Slots::Entry& sent, Reply reply,
                                Nanoseconds came, Nanoseconds heard, Nanoseconds now) {
  --under_way_;
  if constexpr (kStreams) heard_ = true;
  const bool measured = this->measured(message.client, message.sequence);
  Counts& counts = counts_;
  if (in_time(measured, came)) {
    counts.in_time.add();
    counts.bytes_in.add(reply.size);
  }
  if (!measured) return;
  counts.answered.add();
  if (reply.kind != 0) counts.kinds[reply.kind].add();
  if (came >= end_) counts.drained.add();
  counts.last_answer_ns.store(now, std::memory_order_relaxed);
  if (open_loop_) counts.service.record(came - sent.sent_ns);
  counts.response.record(came - sent.planned_ns);
  Nanoseconds due = sent.sent_ns;
  if (open_loop_ && !plan_.timed_from_send)
    due = sent.planned_ns + std::min(sent.own_ns, sent.sent_ns - sent.planned_ns);
  counts.least.record(std::max(sent.sent_ns, heard) - due);
}

// Closes a connection that has had its share of messages, to be opened again.
template <Carrier Net>
void Load<Net>::retire_if_done(std::size_t client) {
  Client& one = clients_[client];
  if (plan_.churn == 0 || one.refused || book_.under_way(client) > 0) return;
  if (book_.sent(client) - one.first_sent < plan_.churn) return;
  one.retired = true;
  one.usable = false;
  if constexpr (kStreams) net_.close(*one.conn);
}

}  // namespace wiremark::load
