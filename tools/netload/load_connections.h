// The half of a load that opens connections, ends them, and opens them again. Part of load.h, which
// includes it at its end.
#pragma once

#include "netload/load.h"

namespace wiremark::tools {

template <class Reactor, Traffic T>
void Load<Reactor, T>::on_open(net::Conn& conn) {
  Client& client = *static_cast<Client*>(conn.user);
  const Nanoseconds now = now_ns();
  client.opened = true;
  client.first_sent = client.sent;
  counts_.connect.record(now - slot(client, 0).sent_ns);
  counts_.connected.add();
  --connecting_;
  ++alive_;
  if (course_.running()) fill(client, now);
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::on_close(net::Conn& conn, int error) {
  Client& client = *static_cast<Client*>(conn.user);
  client.conn = nullptr;
  const bool was_open = std::exchange(client.opened, false);
  const bool retired = std::exchange(client.retired, false);
  const bool counted = std::exchange(client.refused, false) || retired;
  --(was_open ? alive_ : connecting_);
  if (was_open) counts_.closed.add();
  under_way_ -= client.under_way();
  client.answered = client.sent;  // What was under way is lost, and its place in the plan with it.
  client.got = 0;
  if (!counted) {
    const std::string why = error == 0 ? "closed by the server" : std::strerror(error);
    fail(was_open ? why : error == EADDRNOTAVAIL ? kNoPort : "connect: " + why);
  }
  closed(client, retired);
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::closed(Client& client, bool retired) {
  const Nanoseconds now = now_ns();
  if (retired)
    reopening_.push_front({&client, now});
  else if (plan_.reconnect && !course_.connecting())
    reopening_.push_back({&client, now + kReconnectPause});
  else
    client.gone = true;
  if (client.gone && course_.open_loop()) course_.drop(client.due - client.sent);
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
    connect(client);
  }
  return kNever;
}

template <class Reactor, Traffic T>
void Load<Reactor, T>::connect(Client& client) {
  const Nanoseconds now = reactor_.now();
  const auto conn =
      reactor_.connect(plan_.target, {plan_.socket, plan_.sources.of(number(client))}, &client);
  if (!conn) {
    fail(conn.error().message());
    return closed(client, false);
  }
  ++connecting_;
  slot(client, 0).sent_ns = now;
  client.conn = *conn;
}

// Opens again what is to be; returns when the next one's time comes.
template <class Reactor, Traffic T>
Nanoseconds Load<Reactor, T>::reopen_some(Nanoseconds now) {
  while (!reopening_.empty()) {
    const Reopening next = reopening_.front();
    if (next.at > now) return next.at;
    if (connecting_ >= kConnecting) return kNever;  // The next one to open brings us back.
    reopening_.pop_front();
    connect(*next.client);
  }
  return kNever;
}

// Ends connections whose oldest message has been under way for too long.
template <class Reactor, Traffic T>
void Load<Reactor, T>::sweep(Nanoseconds now) {
  for (Client& client : clients_) {
    if (!client.conn || client.refused || client.retired) continue;
    if (client.opened && client.under_way() == 0) continue;
    const Nanoseconds since = slot(client, client.opened ? client.answered : 0).sent_ns;
    if (now < since + plan_.timeout) continue;
    refuse(*client.conn, client.opened ? "no reply within the timeout" : "connect: timeout", 0);
  }
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
