// The connections of a load: opened, and opened again. Included by load.cpp alone.
#pragma once

#include <cerrno>

#include "load/load.h"
#include "load/message_way.h"

namespace wiremark::load {

// Starts the connections that are due; returns when the next one is.
template <Carrier Net>
Nanoseconds Load<Net>::connect_some(Nanoseconds now) {
  Nanoseconds from = 0;  // The first thread to come here sets it for all.
  const Nanoseconds first = now + (plan_.connect_rate_hz > 0 ? kConnectLead : 0);
  if (gate_.connect_ns.compare_exchange_strong(from, first)) from = first;
  for (std::size_t burst = 0; next_connect_ < clients_.size(); ++burst, ++next_connect_) {
    if (plan_.connect_rate_hz > 0) {
      const auto number = static_cast<double>(walk_.number(next_connect_));
      const Nanoseconds due =
          from + static_cast<Nanoseconds>(number * kSecond / plan_.connect_rate_hz);
      if (due > now + kConnectSpin) return due - kConnectSpin;
      if (due > now) return now;  // So near that the loop spins.
    } else if (connecting_ >= kConnecting) {
      return kNever;  // The next one to open brings us back.
    }
    if (burst == kConnecting) return now;
    connect(clients_[next_connect_]);
    now = net_.now();
  }
  return kNever;
}

template <Carrier Net>
void Load<Net>::connect(Client& client) {
  const net::Address* const source = plan_.sources.of(walk_.own_number(index(client)));
  client.connect_began_ns = net_.now();
  auto conn = net_.connect(plan_.target, {plan_.socket, source}, &client);
  if (!conn) return connect_failed(client, conn.error());
  client.conn = *conn;
  if constexpr (kStreams) {
    ++connecting_;
  } else {
    client.opened = client.usable = true;
    ++alive_;
    counts_.connected.publish();
    exchange_.opened(index(client));
  }
}

template <Carrier Net>
void Load<Net>::connect_failed(Client& client, const Error& error) {
  // From bind(2) the same errno means that no interface has the address.
  const bool no_port =
      error.operation == "connect" && (error.code == EADDRNOTAVAIL || error.code == EAGAIN);
  fail(no_port ? kNoPort : error.message());
  if constexpr (kStreams) under_way_ -= book_.lose_all(index(client));
  ended(client, Again::later_if_asked);
}

// Opens connections again that are due for it; returns when the next one is.
template <Carrier Net>
Nanoseconds Load<Net>::reopen_some(Nanoseconds now) {
  for (; !reopen_later_.empty() && reopen_later_.front().at <= now; reopen_later_.pop_front())
    reopen_now_.push_back(reopen_later_.front().client);
  while (!reopen_now_.empty()) {
    if (connecting_ >= kConnecting) return kNever;  // The next one to open brings us back.
    Client& next = *reopen_now_.front();
    reopen_now_.pop_front();
    connect(next);
  }
  return reopen_later_.empty() ? kNever : reopen_later_.front().at;
}

// A connection has ended or could not be opened: opens it again, or gives it up.
template <Carrier Net>
void Load<Net>::ended(Client& client, Again again) {
  const std::size_t i = index(client);
  const Nanoseconds now = net_.now();
  const bool rests = again == Again::when_due && (phase_ != Phase::running || !may_send(i, now));
  if (rests) {
    client.resting = true;
    ++resting_;
  } else if (again == Again::now || again == Again::when_due) {
    reopen_now_.push_back(&client);
  } else if (again == Again::later || (plan_.reconnect && phase_ != Phase::connecting)) {
    reopen_later_.push_back({&client, now + kReconnectPause});
  } else {
    client.gone = true;
    if (open_loop_) waiting_ -= client.due - book_.sent(i);
  }
}

// A message is due of a connection that rests.
template <Carrier Net>
void Load<Net>::wake(Client& client) {
  client.resting = false;
  --resting_;
  reopen_now_.push_back(&client);
}

template <Carrier Net>
void Load<Net>::on_open(net::Conn& conn)
  requires net::Streams<Net>
{
  Client& client = *static_cast<Client*>(conn.user);
  exchange_.opened(index(client));
  counts_.established.add();
  if (!exchange_.greeting()) ready(client, net_.now());
}

// The connection stands, and the server has said what it says first.
template <Carrier Net>
void Load<Net>::ready(Client& client, Nanoseconds now)
  requires net::Streams<Net>
{
  const std::size_t i = index(client);
  client.opened = client.usable = true;
  client.first_sent = book_.oldest(i);
  if (client.opened_before) counts_.opened_again.add();
  client.opened_before = true;
  counts_.connect.record(now - client.connect_began_ns);
  counts_.connected.publish();
  --connecting_;
  ++alive_;
  repeat(client, now);
  if (phase_ == Phase::running) fill(i, now);
}

// Sends what was under way when the server closed the connection before this one.
template <Carrier Net>
void Load<Net>::repeat(Client& client, Nanoseconds now)
  requires net::Streams<Net>
{
  const std::size_t i = index(client);
  if (book_.under_way(i) == 0) return;
  for (std::uint32_t next = book_.oldest(i); next != book_.sent(i); ++next) {
    const bool measured = this->measured(i, next);
    const std::size_t size = transmit(i, message(i, next));
    if (in_time(measured, now)) counts_.bytes_out.add(size);
    if (measured) counts_.repeated.add();
  }
  client.not_repeated = book_.sent(i);
}

// What a server says before it is asked; returns how many bytes of it.
template <Carrier Net>
std::size_t Load<Net>::greeted(Client& client, Bytes bytes)
  requires net::Streams<Net>
{
  Exchange* const greeting = exchange_.greeting();
  if (!greeting) return 0;
  const Reply reply = greeting->reply(message(index(client), 0), bytes);
  if (reply.refused) {
    refuse(client, greeting->refusal());
    return bytes.size();
  }
  if (reply.size == 0) return reply.consumed;
  if (reply.consumed < bytes.size()) {
    refuse(client, exchange_.unasked(index(client), bytes.subspan(reply.consumed)));
    return bytes.size();
  }
  ready(client, net_.now());
  return reply.consumed;
}

}  // namespace wiremark::load
