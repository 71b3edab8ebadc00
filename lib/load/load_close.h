// How a connection of a load ends, by either side, and what that loses. Included by load.cpp alone.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "load/load.h"
#include "load/message_way.h"

namespace wiremark::load {

template <Carrier Net>
void Load<Net>::on_close(net::Conn& conn, int error)
  requires net::Streams<Net>
{
  Client& client = *static_cast<Client*>(conn.user);
  const std::size_t i = index(client);
  client.conn = nullptr;
  const bool was_open = client.opened;
  if (error == 0 && was_open && !client.refused && !client.retired) close_ends_reply(client);
  const bool retired = client.retired, refused = client.refused;
  const bool by_other_end = was_open && !retired && !refused;
  const bool replied = by_other_end && !one_way_ && book_.oldest(i) != client.first_sent;
  const bool idle = by_other_end && lost_nothing(i, conn, error);
  const bool untaken = by_other_end && !idle && met_closed(i, conn, error);
  const bool repeats = untaken && may_repeat(i);
  if (by_other_end && counts_.note.empty()) counts_.note = exchange_.unfinished(i);
  client.opened = client.retired = client.refused = client.usable = false;
  --(was_open ? alive_ : connecting_);
  if (was_open) counts_.closed.add();
  if (idle) counts_.closed_idle.add();
  if (!repeats) under_way_ -= book_.lose_all(i);
  if (!idle && !repeats && !retired && !refused) {
    const std::string why = untaken ? kUntaken : error == 0 ? kClosed : std::strerror(error);
    fail(was_open ? why : error == EADDRNOTAVAIL ? kNoPort : "connect: " + why);
  }
  if (retired || repeats) return ended(client, Again::now);
  if (idle || replied) return ended(client, Again::when_due);
  ended(client, by_other_end && heard_ ? Again::later : Again::later_if_asked);
}

// Whether nothing was under way when the server closed the connection: without replies, whether it
// had taken all.
template <Carrier Net>
bool Load<Net>::lost_nothing(std::size_t client, const net::Conn& conn, int error) const
  requires net::Streams<Net>
{
  if (book_.under_way(client) > 0) return false;
  if (one_way_) return error == 0 && net_.unacknowledged(conn) == 0;
  return error == 0 || error == ECONNRESET;
}

// Whether the server had closed the connection before it took a byte of what is under way: its FIN
// does not acknowledge that, and EPIPE says that the FIN had come. An RST says neither.
template <Carrier Net>
bool Load<Net>::met_closed(std::size_t client, const net::Conn& conn, int error) const
  requires net::Streams<Net>
{
  if (error == EPIPE) return book_.under_way(client) == 1;
  if (error != 0 || !conn.stash.empty() || !exchange_.unfinished(client).empty()) return false;
  std::size_t size = 0;
  for (std::uint32_t next = book_.oldest(client); next != book_.sent(client); ++next)
    size += exchange_.request(message(client, next)).size();
  return net_.unacknowledged(conn) >= size;
}

// Whether all that is under way can be sent once more, and was not before.
template <Carrier Net>
bool Load<Net>::may_repeat(std::size_t client) const
  requires net::Streams<Net>
{
  std::uint32_t next = book_.oldest(client);
  if (next < clients_[client].not_repeated) return false;
  while (next != book_.sent(client) && exchange_.repeatable(message(client, next))) ++next;
  return next == book_.sent(client);
}

// The reply was the last of its connection, which is opened again. What was sent behind its request
// is lost.
template <Carrier Net>
void Load<Net>::ended_by_server(std::size_t client) {
  Client& one = clients_[client];
  counts_.ended.add();
  if (book_.under_way(client) > 0) fail("closed by the server with requests under way");
  one.retired = true;
  one.usable = false;
  if constexpr (kStreams) {
    if (one.conn) net_.close(*one.conn);
  }
}

// A reply without a length ends when its connection does.
template <Carrier Net>
void Load<Net>::close_ends_reply(Client& client)
  requires net::Streams<Net>
{
  const std::size_t i = index(client);
  if (book_.under_way(i) == 0) return;
  const MessageId message = this->message(i, book_.oldest(i));
  const Reply reply = exchange_.closed(message);
  if (reply.refused) return refuse(client, exchange_.refusal());
  if (reply.size == 0) return;
  const Slots::Entry sent = book_.oldest_entry(i);
  const Nanoseconds now = net_.now();
  book_.answered(i);
  answered(message, sent, reply, now, std::min(now, net_.heard()), now);
  if (reply.error) count_error_reply();
  ended_by_server(i);
}

template <Carrier Net>
void Load<Net>::refuse_reply(Client& client) {
  refuse(client, exchange_.refusal());
}

template <Carrier Net>
void Load<Net>::refuse(Client& client, Refusal why) {
  client.refused = true;
  client.usable = false;
  if (counts_.wrong_reply.empty()) counts_.wrong_reply = std::move(why.detail);
  fail(std::move(why.kind));
  if constexpr (kStreams) {
    if (client.conn) net_.close(*client.conn);
  }
}

template <Carrier Net>
void Load<Net>::fail(std::string kind) {
  counts_.failed.add();
  counts_.errors.add(std::move(kind));
}

}  // namespace wiremark::load
