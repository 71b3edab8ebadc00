// How messages are given up, and when a load is over. Included by load.cpp alone.
#pragma once

#include <algorithm>

#include "load/load.h"
#include "load/message_way.h"

namespace wiremark::load {

// Ends connections, or gives up datagrams, whose reply is overdue. A reply that had arrived in time
// but is not read yet, because we ourselves stood still, never counts as missing.
template <Carrier Net>
void Load<Net>::sweep(Nanoseconds now) {
  next_sweep_ = now + plan_.timeout / kSweeps;
  const Nanoseconds taken_until = net_.taken_until();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[i];
    if constexpr (kStreams) {
      if (!client.conn || client.refused || client.retired) continue;
      if (client.opened && book_.under_way(i) == 0) continue;
      const Nanoseconds since =
          client.opened ? book_.oldest_entry(i).sent_ns : client.connect_began_ns;
      if (taken_until <= since + plan_.timeout) continue;
      if (counts_.note.empty()) counts_.note = exchange_.unfinished(i);
      const char* const late = one_way_ ? "no room for a message within the timeout" : kNoReply;
      refuse(client, {client.opened ? late : kConnectTimeout, {}});
    } else {
      if (book_.under_way(i) == 0) continue;
      const std::uint32_t expired = book_.expire(i, taken_until, [&](Nanoseconds sent) {
        counts_.lost_wait.add(sent, now, measured_part());
      });
      under_way_ -= expired;
      if (expired > 0) fill(i, net_.now());
    }
  }
}

template <Carrier Net>
bool Load<Net>::all_sent(Nanoseconds now) const noexcept {
  if (open_loop_) return walk_.done() && waiting_ == 0 && (now >= end_ || !plan_.ends_by_time());
  return now >= measure_from_ && (now >= end_ || (plan_.requests > 0 && budget_ == 0));
}

// Nothing more is awaited; over UDP we listen a little longer for late and duplicate replies.
template <Carrier Net>
Nanoseconds Load<Net>::leave(Nanoseconds now) {
  if (phase_ == Phase::running && end_ != kNever && now < end_ && !all_sent(now))
    counts_.given_up_ns.store(end_ - now);
  if (open_loop_ && !walk_.done()) forgo_rest();
  if constexpr (kStreams) lose_unrepeated();
  if (!kStreams && alive_ > 0) {
    if (phase_ != Phase::lingering) linger_until_ = now + kLinger;
    phase_ = Phase::lingering;
    if (now < linger_until_) return linger_until_;
    if (net_.taken_until() < linger_until_) return now;
  }
  phase_ = Phase::done;
  gate_.leave();
  return kNever;
}

// What was to be sent once more, over connections that did not open in time.
template <Carrier Net>
void Load<Net>::lose_unrepeated()
  requires net::Streams<Net>
{
  for (std::size_t i = 0; under_way_ > 0 && i < clients_.size(); ++i) {
    const std::uint32_t lost = book_.lose_all(i);
    if (lost > 0) fail(kConnectTimeout);
    under_way_ -= lost;
  }
}

// Open loop: what the plan still holds counts as planned and is never sent.
template <Carrier Net>
void Load<Net>::forgo_rest() {
  walk_.forgo(counts_);
  waiting_ = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) clients_[i].due = book_.sent(i);
  forgo_at_ = kNever;
}

}  // namespace wiremark::load
