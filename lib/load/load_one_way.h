// Messages without replies: each is done with when the kernel has taken it. Included by load.cpp
// alone.
#pragma once

#include "load/load.h"
#include "load/message_way.h"

namespace wiremark::load {

template <Carrier Net>
void Load<Net>::settle_now_or_later(std::size_t client) {
  const net::Handed handed = handed_of(client);
  handed == net::Handed::all ? settle(client) : settle_later(client, handed);
}

// Counts what the kernel has taken by now, and sends on.
template <Carrier Net>
void Load<Net>::settle_some() {
  settling_.swap(unsettled_);
  for (const std::size_t i : settling_) {
    Client& client = clients_[i];
    client.unsettled = false;
    if (!client.conn) continue;
    if constexpr (kStreams) {
      if (const net::Handed handed = net_.handed(*client.conn); handed != net::Handed::all) {
        settle_later(i, handed);
        continue;
      }
    }
    settle(i);
    if (client.usable) push(i, net_.now());
    if constexpr (kStreams) {
      if (client.conn && client.unsettled) net_.flush(*client.conn);
    }
  }
  settling_.clear();
}

// Datagrams have been taken by the next turn, or are said at once not to be.
template <Carrier Net>
net::Handed Load<Net>::handed_of(std::size_t client) const {
  if constexpr (kStreams)
    return net_.handed(*clients_[client].conn);
  else
    return net::Handed::queued;
}

// The kernel has all that is under way on a connection.
template <Carrier Net>
void Load<Net>::settle(std::size_t client) {
  const Nanoseconds now = net_.now();
  std::uint32_t& next = clients_[client].first_unsettled;
  for (; book_.under_way(client) > 0; ++next) {
    if constexpr (kStreams) {
      const MessageId message = this->message(client, book_.oldest(client));
      const Slots::Entry sent = book_.oldest_entry(client);
      book_.answered(client);
      answered(message, sent, {}, now, now, now);
    } else {
      const auto answer = book_.answer(client, next, now);
      if (answer.fate != Ledger::Fate::answered) continue;  // It was dropped.
      answered(message(client, next), {answer.planned_ns, answer.sent_ns, answer.own_ns}, {}, now,
               now, now);
    }
  }
  next = book_.sent(client);
  retire_if_done(client);
}

// The kernel did not take the datagram.
template <Carrier Net>
void Load<Net>::drop(MessageId message) {
  if constexpr (!kStreams) {
    book_.drop(message.client, message.sequence);
    --under_way_;
  }
}

}  // namespace wiremark::load
