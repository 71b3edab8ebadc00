// One thread's part of a load: its turns, what it sends by itself, and the replies.
#include "load/load.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "load/load_close.h"
#include "load/load_connections.h"
#include "load/load_end.h"
#include "load/load_one_way.h"
#include "load/message_way.h"
#include "net/attention.h"
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
  watch_itself();
  idle_since_ = 0;
  return chore_at_;
}

// Whether answers alone move the load on, as in most turns of a closed loop.
template <Carrier Net>
inline bool Load<Net>::quiet(Nanoseconds now) const noexcept {
  return phase_ == Phase::running && !sends_by_itself_ && now < chore_at_ && under_way_ > 0 &&
         alive_ > 0 && reopen_now_.empty() && reopen_later_.empty() &&
         !counts_.ask_oldest.load(std::memory_order_relaxed);
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
  watch_itself();
  if (one_way_) settle_some();
  Nanoseconds next = sends_by_itself_ ? send_due(now) : kNever;
  if (std::exchange(some_queued_, false)) next = now;
  const Nanoseconds reopen = reopen_some(now);
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
[[gnu::always_inline]] inline void Load<Net>::watch_itself() {
  const net::Gap gap = net_.gap();
  if (gap.length < net::Attention::kHeldUp && gap.length <= counts_.held_up.all().longest)
      [[likely]]
    return;
  counts_.held_up.add(gap.from, gap.from + gap.length, measured_part());
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
    Client& first = clients_[next_first_];
    if (first.resting) wake(first);
    fill(next_first_, now);
    if constexpr (kStreams) {
      if (first.conn) net_.flush(*first.conn);
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
    if (one.resting) wake(one);
    return now;
  }
  send(client, now, false);
  if constexpr (kStreams) net_.flush(*one.conn);
  if (one_way_) settle_now_or_later(client);
  return now;
}

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
    answered(message, sent, reply, came, std::min(came, net_.heard()), now);
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

// The server answered that it could not do what the request says.
template <Carrier Net>
void Load<Net>::count_error_reply() {
  Refusal why = exchange_.refusal();
  if (counts_.note.empty()) counts_.note = std::move(why.detail);
  counts_.failed.add();
  counts_.errors.add_of_server(std::move(why.kind));
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
    answered(message, {answer.planned_ns, answer.sent_ns, answer.own_ns}, reply, now,
             std::min(now, net_.heard()), now);
    if (answer.reordered && measured(i, *sequence)) counts_.reordered.add();
    if (reply.error) count_error_reply();
  } else {
    const std::uint32_t given_up = before - book_.under_way(i);
    under_way_ -= given_up;
    if (given_up > 0) counts_.lost_wait.add(answer.sent_ns, now, measured_part());
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

template <Carrier Net>
inline bool Load<Net>::over(Nanoseconds now) {
  if (under_way_ > 0 && alive_ > 0) {
    idle_since_ = 0;
    return false;
  }
  const std::size_t to_open = connecting_ + reopen_now_.size() + reopen_later_.size();
  if (alive_ + resting_ + to_open == 0) return true;
  if (under_way_ == 0 && all_sent(now)) return true;
  // Only connections that are to open again are awaited; they have as long as a reply has, and a
  // sweep has closed them by then.
  const bool stuck = (alive_ == 0 && to_open > 0) ||
                     (open_loop_ && walk_.done() && under_way_ == 0 && waiting_ > 0);
  if (!stuck || idle_since_ == 0) idle_since_ = stuck ? now : 0;
  const Nanoseconds patience = plan_.timeout + plan_.timeout / kSweeps;
  return stuck && plan_.timeout > 0 && now >= idle_since_ + patience;
}

// The views of every backend.
template class Load<net::StreamsOf<net::EpollReactor>>;
template class Load<net::StreamsOf<net::UringReactor>>;
template class Load<net::DatagramsOf<net::EpollReactor>>;
template class Load<net::DatagramsOf<net::UringReactor>>;
template class Load<net::DatagramsOf<net::XdpReactor>>;
template class Load<net::sim::StreamEnd>;
template class Load<net::sim::DatagramEnd>;

}  // namespace wiremark::load
