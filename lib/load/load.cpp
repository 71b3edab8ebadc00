// One thread's part of a load: opens its connections, sends by the plan, takes the replies, counts.
#include "load/load.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "net/reactor.h"
#include "net/sim/datagrams.h"
#include "net/sim/streams.h"

namespace wiremark::load {

template <Carrier Net>
Load<Net>::Load(Net& net, Exchange& exchange, const Plan& plan, std::size_t thread, StartGate& gate,
                Counts& counts)
    : net_(net),
      exchange_(exchange),
      plan_(plan),
      gate_(gate),
      counts_(counts),
      walk_(plan, thread),
      open_loop_(plan.open_loop()),
      clients_(walk_.clients()),
      book_(clients_.size(), plan.pipeline, plan.timeout),
      budget_(plan.part_of(plan.requests, thread)),
      one_way_(exchange.one_way()) {}

template <Carrier Net>
Nanoseconds Load<Net>::on_turn(Nanoseconds now) {
  if (!quiet(now)) return full_turn(now);
  watch_itself(now);
  idle_since_ = 0;
  return chore_at_;
}

// Whether answers alone move the load on, as in most turns of a closed loop.
template <Carrier Net>
inline bool Load<Net>::quiet(Nanoseconds now) const noexcept {
  return phase_ == Phase::running && !sends_by_itself_ && now < chore_at_ && under_way_ > 0 &&
         alive_ > 0 && reopening_.empty() && !counts_.ask_oldest.load(std::memory_order_relaxed);
}

template <Carrier Net>
Nanoseconds Load<Net>::full_turn(Nanoseconds now) {
  if (counts_.ask_oldest.load(std::memory_order_acquire)) {
    counts_.oldest_ns.store(oldest(), std::memory_order_relaxed);
    counts_.ask_oldest.store(false, std::memory_order_release);
  }
  if (phase_ == Phase::connecting) {
    const Nanoseconds next = connect_some(now);
    if (next_connect_ < clients_.size() || connecting_ > 0) return next;
    phase_ = Phase::waiting;
  }
  if (phase_ == Phase::waiting) {
    if (const Nanoseconds until = start(now); until != 0) return until;
  }
  if (phase_ == Phase::done) return kNever;
  if (phase_ == Phase::lingering) return leave(now);
  watch_itself(now);
  const Nanoseconds reopen = reopen_some(now);
  if (one_way_) settle_some();
  Nanoseconds next = sends_by_itself_ ? send_due(now) : kNever;
  if (std::exchange(some_queued_, false)) next = now;
  if (now >= next_sweep_) sweep(now);
  if (now >= forgo_at_) forgo_rest();
  if (over(now)) return leave(now);
  chore_at_ = std::min(next_sweep_, now < end_ ? end_ : forgo_at_);
  return std::min({reopen, next, chore_at_});
}

// Starts the run if the gate is open; returns until when to wait for that, or 0.
template <Carrier Net>
Nanoseconds Load<Net>::start(Nanoseconds now) {
  if (const Nanoseconds until = gate_.closed_until(now); until != 0) return until;
  const Nanoseconds start_ns = gate_.start_ns;
  phase_ = Phase::running;
  measure_from_ = start_ns + plan_.warmup;
  if (plan_.duration > 0) end_ = measure_from_ + plan_.duration;
  if (plan_.timeout > 0) next_sweep_ = start_ns + plan_.timeout / kSweeps;
  if (!open_loop_) return 0;
  walk_.start(start_ns);
  if (plan_.duration > 0 && plan_.timeout > 0) forgo_at_ = end_ + plan_.timeout;
  return 0;
}

// Counts how long the loop did not listen, in the measured part.
template <Carrier Net>
inline void Load<Net>::watch_itself(Nanoseconds now) {
  const Nanoseconds gap = net_.gap();
  if (gap < net::Attention::kHeldUp && gap <= counts_.gap_max_ns.load(std::memory_order_relaxed))
      [[likely]]
    return;
  if (net_.woke() < measure_from_ || now >= end_) return;
  if (gap >= net::Attention::kHeldUp) counts_.held_up_ns.add(gap);
  if (gap > counts_.gap_max_ns.load(std::memory_order_relaxed))
    counts_.gap_max_ns.store(gap, std::memory_order_relaxed);
}

// The planned time of the message that has waited longest for its answer, or to be sent; kNever
// where none waits.
template <Carrier Net>
Nanoseconds Load<Net>::oldest() const noexcept {
  Nanoseconds oldest = kNever;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (book_.under_way(i) > 0)
      oldest = std::min(oldest, book_.oldest_planned(i));
    else if (open_loop_ && !clients_[i].gone && clients_[i].due > book_.sent(i))
      oldest = std::min(oldest, walk_.planned_ns(i, book_.sent(i)));
  }
  return oldest;
}

// Connections.

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
    counts_.connected.add();
    exchange_.opened(index(client));
  }
}

template <Carrier Net>
void Load<Net>::connect_failed(Client& client, const Error& error) {
  // From bind(2) the same errno means that no interface has the address.
  const bool no_port =
      error.operation == "connect" && (error.code == EADDRNOTAVAIL || error.code == EAGAIN);
  fail(no_port ? kNoPort : error.message());
  ended(client, false);
}

// Opens connections again that are due for it; returns when the next one is.
template <Carrier Net>
Nanoseconds Load<Net>::reopen_some(Nanoseconds now) {
  while (!reopening_.empty()) {
    const Reopening next = reopening_.front();
    if (next.at > now) return next.at;
    if (connecting_ >= kConnecting) return kNever;  // The next one to open brings us back.
    reopening_.pop_front();
    connect(*next.client);
  }
  return kNever;
}

// A connection has ended or could not be opened: opens it again later, or gives it up.
template <Carrier Net>
void Load<Net>::ended(Client& client, bool retired) {
  const Nanoseconds now = net_.now();
  if (retired)
    reopening_.push_front({&client, now});
  else if (plan_.reconnect && phase_ != Phase::connecting)
    reopening_.push_back({&client, now + kReconnectPause});
  else
    client.gone = true;
  if (client.gone && open_loop_) waiting_ -= client.due - book_.sent(index(client));
}

template <Carrier Net>
void Load<Net>::on_open(net::Conn& conn)
  requires net::Streams<Net>
{
  Client& client = *static_cast<Client*>(conn.user);
  exchange_.opened(index(client));
  if (!exchange_.greeting()) ready(client, net_.now());
}

// The connection stands, and the server has said what it says first.
template <Carrier Net>
void Load<Net>::ready(Client& client, Nanoseconds now)
  requires net::Streams<Net>
{
  client.opened = client.usable = true;
  client.first_sent = book_.sent(index(client));
  counts_.connect.record(now - client.connect_began_ns);
  counts_.connected.add();
  --connecting_;
  ++alive_;
  if (phase_ == Phase::running) fill(index(client), now);
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

template <Carrier Net>
void Load<Net>::on_close(net::Conn& conn, int error)
  requires net::Streams<Net>
{
  Client& client = *static_cast<Client*>(conn.user);
  client.conn = nullptr;
  const bool was_open = client.opened;
  if (error == 0 && was_open && !client.refused && !client.retired) close_ends_reply(client);
  const bool retired = client.retired;
  const bool counted = client.refused || retired;
  client.opened = client.retired = client.refused = client.usable = false;
  --(was_open ? alive_ : connecting_);
  if (was_open) counts_.closed.add();
  under_way_ -= book_.lose_all(index(client));
  if (!counted) {
    const std::string why = error == 0 ? "closed by the server" : std::strerror(error);
    fail(was_open ? why : error == EADDRNOTAVAIL ? kNoPort : "connect: " + why);
  }
  ended(client, retired);
}

// Sending.

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

// Sends what is due, or the first messages of a closed loop; returns when to call it again.
template <Carrier Net>
Nanoseconds Load<Net>::send_due(Nanoseconds now) {
  if (open_loop_)
    return walk_.go(now, net_, counts_,
                    [this](std::size_t client, Nanoseconds at) { return come_due(client, at); });
  for (int burst = 0; next_first_ < clients_.size(); ++burst, ++next_first_) {
    if (burst == Walk::kBurst) return now;
    now = net_.now();
    if (book_.sent(next_first_) > 0) continue;
    fill(next_first_, now);
    if constexpr (kStreams) {
      if (clients_[next_first_].conn) net_.flush(*clients_[next_first_].conn);
    }
  }
  sends_by_itself_ = one_way_;
  return kNever;
}

// Open loop: the next message of a connection is due; sends it if there is room. Returns the time
// at which the load came to it.
template <Carrier Net>
Nanoseconds Load<Net>::come_due(std::size_t client, Nanoseconds now) {
  Client& one = clients_[client];
  if (one.gone) return now;
  const Nanoseconds planned = walk_.planned_ns(client, one.due++);
  ++waiting_;
  const bool waits = !has_room(client);
  if (!waits) now = net_.now();
  gaps_.came(planned, now);
  if (waits) {
    counts_.held.add();
    return now;
  }
  send(client, now, false);
  if constexpr (kStreams) net_.flush(*one.conn);
  if (one_way_) settle_now_or_later(client);
  return now;
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
  if (open_loop_) return counts.lateness.record(now - planned);
  counts.planned.add();
  if (plan_.requests > 0) --budget_;
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

// Replies.

// Flattened, as on_datagram() is: a compiler does not inline what is called from elsewhere too, and
// here each call costs more than what it does (80 of 860 instructions a message, g++ 12).
template <Carrier Net>
[[gnu::flatten]] std::size_t Load<Net>::on_data(net::Conn& conn, Bytes bytes)
  requires net::Streams<Net>
{
  Client& client = *static_cast<Client*>(conn.user);
  const std::size_t i = index(client);
  const Nanoseconds now = net_.now();
  const std::size_t size = bytes.size();
  if (!client.opened) [[unlikely]]
    bytes = bytes.subspan(greeted(client, bytes));
  if (one_way_) [[unlikely]]
    return size;
  const std::uint32_t sent_before = book_.sent(i);  // No other message can be answered by now.
  while (!bytes.empty()) {
    if (book_.oldest(i) == sent_before) {
      refuse(client, exchange_.unasked(i, bytes));
      return size;
    }
    const MessageId message = this->message(i, book_.oldest(i));
    const Reply reply = exchange_.reply(message, bytes);
    if (reply.refused) {
      refuse_reply(client);
      return size;
    }
    bytes = bytes.subspan(reply.consumed);
    if (reply.size == 0) {
      if (reply.consumed == 0) break;
      continue;
    }
    const Slots::Entry& sent = book_.oldest_entry(i);  // Until fill().
    book_.answered(i);
    // An answer is timed by the kernel's time stamp, or without one when it is read.
    const Nanoseconds received = net_.received();
    const Nanoseconds came = received >= sent.sent_ns ? received : now;
    answered(message, sent, reply.size, came, std::min(came, net_.heard()), now);
    if (reply.error) [[unlikely]]
      count_error_reply();
    if (reply.last) [[unlikely]] {
      ended_by_server(i);
      return size;
    }
    // An answer makes room for one message; what else there was to send had room before.
    if (has_room(i) && may_send(i, now)) send(i, now, true);
    retire_if_done(i);
  }
  return size - bytes.size();
}

// Closes a connection that has had its share of messages, to be opened anew.
template <Carrier Net>
void Load<Net>::retire_if_done(std::size_t client) {
  Client& one = clients_[client];
  if (plan_.churn == 0 || one.refused || book_.under_way(client) > 0) return;
  if (book_.sent(client) - one.first_sent < plan_.churn) return;
  one.retired = true;
  one.usable = false;
  if constexpr (kStreams) net_.close(*one.conn);
}

// One way.

// Its messages are looked at in the next turn, which comes at once if only that is missing.
template <Carrier Net>
void Load<Net>::settle_later(std::size_t client, net::Handed handed) {
  some_queued_ |= handed == net::Handed::queued;
  if (clients_[client].unsettled) return;
  clients_[client].unsettled = true;
  unsettled_.push_back(client);
}

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
      answered(message, sent, 0, now, now, now);
    } else {
      const auto answer = book_.answer(client, next, now);
      if (answer.fate != Ledger::Fate::answered) continue;  // It was dropped.
      answered(message(client, next), {answer.planned_ns, answer.sent_ns, answer.own_ns}, 0, now,
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

// The reply was the last of its connection, which is opened anew. What was sent behind its request
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
  answered(message, sent, reply.size, now, std::min(now, net_.heard()), now);
  if (reply.error) count_error_reply();
  ended_by_server(i);
}

// The server answered that it could not do what the request says.
template <Carrier Net>
void Load<Net>::count_error_reply() {
  Refusal why = exchange_.refusal();
  if (counts_.note.empty()) counts_.note = std::move(why.detail);
  fail(std::move(why.kind));
}

// It `came` when the kernel says, or when it was read; a loop that is never held up would have
// `heard` of it then.
template <Carrier Net>
inline void Load<Net>::answered(MessageId message, const Slots::Entry& sent, std::size_t size,
                                Nanoseconds came, Nanoseconds heard, Nanoseconds now) {
  --under_way_;
  const bool measured = this->measured(message.client, message.sequence);
  Counts& counts = counts_;
  if (in_time(measured, came)) {
    counts.in_time.add();
    counts.bytes_in.add(size);
  }
  if (!measured) return;
  counts.answered.add();
  if (came >= end_) counts.drained.add();
  counts.last_answer_ns.store(now, std::memory_order_relaxed);
  if (open_loop_) counts.service.record(came - sent.sent_ns);
  counts.response.record(came - sent.planned_ns);
  Nanoseconds due = sent.sent_ns;
  if (open_loop_ && !plan_.timed_from_send)
    due = sent.planned_ns + std::min(sent.own_ns, sent.sent_ns - sent.planned_ns);
  counts.least.record(std::max(sent.sent_ns, heard) - due);
}

template <Carrier Net>
[[gnu::flatten]] void Load<Net>::on_datagram(net::DatagramConn& conn, Bytes bytes)
  requires net::Datagrams<Net>
{
  const std::size_t i = index(*static_cast<Client*>(conn.user));
  const auto sequence = exchange_.sequence_of(message(i, book_.sent(i)), bytes);
  if (!sequence || *sequence >= book_.sent(i))
    return wrong(bytes.size(), "a datagram came that answers nothing of this run");
  const MessageId message = this->message(i, *sequence);
  const Reply reply = exchange_.reply(message, bytes);
  if (reply.refused || reply.size != bytes.size())
    return wrong(bytes.size(), reply.refused ? exchange_.refusal().detail
                                             : "a reply is not as long as what was sent");
  if (!std::exchange(heard_, true)) gate_.heard.store(true, std::memory_order_relaxed);
  const Nanoseconds now = net_.now();
  const std::uint32_t before = book_.under_way(i);
  const Ledger::Answer answer = book_.answer(i, *sequence, net_.taken_until());
  if (answer.fate == Ledger::Fate::answered) {
    answered(message, {answer.planned_ns, answer.sent_ns, answer.own_ns}, bytes.size(), now,
             std::min(now, net_.heard()), now);
    if (answer.reordered && measured(i, *sequence)) counts_.reordered.add();
    if (reply.error) count_error_reply();
  } else {
    under_way_ -= before - book_.under_way(i);
    if (measured(i, *sequence))
      (answer.fate == Ledger::Fate::late ? counts_.late : counts_.duplicated).add();
  }
  if (phase_ == Phase::running) fill(i, now);
}

// Its message stays under way: the right answer may still come.
template <Carrier Net>
void Load<Net>::wrong(std::size_t size, const std::string& why) {
  counts_.wrong.add();
  if (counts_.wrong_reply.empty())
    counts_.wrong_reply = why + " (" + std::to_string(size) + " bytes)";
}

// The datagram is lost. If nobody listens there and nobody ever answered, the run ends.
template <Carrier Net>
void Load<Net>::on_datagram_error(net::DatagramConn&, int error)
  requires net::Datagrams<Net>
{
  const bool refused = error == ECONNREFUSED;
  fail(refused ? kUnreachable : std::string("send: ") + std::strerror(error));
  if (!refused || gate_.heard.load(std::memory_order_relaxed)) return;
  gate_.nobody_listens.store(true, std::memory_order_relaxed);
  gate_.over.request();
}

// The end.

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
      const char* const late =
          one_way_ ? "no room for a message within the timeout" : "no reply within the timeout";
      refuse(client, {client.opened ? late : "connect: timeout", {}});
    } else {
      if (book_.under_way(i) == 0) continue;
      const std::uint32_t expired = book_.expire(i, taken_until);
      under_way_ -= expired;
      if (expired > 0) fill(i, net_.now());
    }
  }
}

template <Carrier Net>
inline bool Load<Net>::over(Nanoseconds now) {
  if (under_way_ > 0 && alive_ > 0) {
    idle_since_ = 0;
    return false;
  }
  if (alive_ + connecting_ + reopening_.size() == 0) return true;
  if (under_way_ == 0 && all_sent(now)) return true;
  // Only connections that are to open again are awaited; they have as long as a reply has.
  const bool stuck = alive_ == 0 || (open_loop_ && walk_.done() && under_way_ == 0 && waiting_ > 0);
  if (!stuck || idle_since_ == 0) idle_since_ = stuck ? now : 0;
  return stuck && plan_.timeout > 0 && now >= idle_since_ + plan_.timeout;
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

// Open loop: what the plan still holds counts as planned and is never sent.
template <Carrier Net>
void Load<Net>::forgo_rest() {
  walk_.forgo(counts_);
  waiting_ = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) clients_[i].due = book_.sent(i);
  forgo_at_ = kNever;
}

template <Carrier Net>
void Load<Net>::fail(std::string kind) {
  counts_.failed.add();
  ++counts_.errors[std::move(kind)];
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

template class Load<net::StreamsOf<net::EpollReactor>>;
template class Load<net::StreamsOf<net::UringReactor>>;
template class Load<net::DatagramsOf<net::EpollReactor>>;
template class Load<net::DatagramsOf<net::UringReactor>>;
template class Load<net::sim::StreamEnd>;
template class Load<net::sim::DatagramEnd>;

}  // namespace wiremark::load
