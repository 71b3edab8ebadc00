// Stream connections of a simulated network: handshakes, windows, splits, resets and half-closes.
#include "net/sim/streams.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/concepts.h"

namespace wiremark::net::sim {

static_assert(Streams<StreamEnd>);

Result<Address> StreamEnd::listen(const Address& at, const ListenOptions&) {
  if (!listeners_.emplace(at.to_string(), this).second)
    return failed("bind", at.to_string(), EADDRINUSE);
  return at;
}

Result<Conn*> StreamEnd::connect(const Address& to, const ConnectOptions&, void* user) {
  StreamConn& conn = pool_.take(-1, Conn::State::connecting);
  conn.end = this;
  conn.user = user;
  conn.number = network_.next_number();
  see_stream(Seen::What::connecting, conn);
  syn(conn, conn.number, to.to_string(), now(), 0);
  return &conn;
}

// The SYN of a client; its kernel sends it again if the queue of the listener is full.
void StreamEnd::syn(StreamConn& client, std::uint64_t number, const std::string& to,
                    Nanoseconds sent, int retries) {
  const Nanoseconds at = network_.arrival(options_.path, 0, sent, path_busy_until_);
  network_.at(at, [this, &client, number, to, sent, retries] {
    if (client.number != number || client.state != Conn::State::connecting) return;
    const auto found = listeners_.find(to);
    if (found == listeners_.end()) return answer_handshake(client, number, ECONNREFUSED);
    StreamEnd& server = *found->second;
    if (server.backlog_.size() < server.options_.backlog) {
      StreamConn& conn = server.pool_.take(-1, Conn::State::connecting);
      conn.end = &server;
      conn.number = number;
      conn.accepted = true;
      conn.peer = &client;
      client.peer = &conn;
      server.backlog_.push_back(&conn);
      server.wake();
      return server.answer_handshake(client, number, 0);
    }
    const Nanoseconds again = std::max(sent + (kSecond << retries), network_.now());
    network_.at(again, [this, &client, number, to, again, retries] {
      if (client.number != number) return;
      if (retries == kSynRetries) return fail(client, ETIMEDOUT);
      syn(client, number, to, again, retries + 1);
    });
  });
}

void StreamEnd::answer_handshake(StreamConn& client, std::uint64_t number, int error) {
  const Nanoseconds at = network_.arrival(options_.path, 0, network_.now(), path_busy_until_);
  network_.at(at, [&client, number, error] {
    if (client.number != number) return;
    if (error != 0) return client.end->fail(client, error);
    client.answered = true;
    client.end->make_ready(client);
  });
}

void StreamEnd::make_ready(StreamConn& conn) {
  ready_.add(conn);
  wake();
}

bool StreamEnd::deliver() {
  accept_some();
  ready_.serve(options_.events_per_turn, [this](StreamConn& one) { return serve_one(one); });
  return ready_.empty() && backlog_.empty();
}

void StreamEnd::accept_some() {
  for (unsigned i = 0; i < options_.accepts_per_turn && !backlog_.empty(); ++i) {
    StreamConn& conn = *backlog_.front();
    backlog_.pop_front();
    if (connections() > options_.reactor.max_connections) {
      stats_.refused.add();
      free(conn);
      continue;
    }
    conn.state = Conn::State::open;
    stats_.accepted.add();
    if (network_.chance(options_.slow_readers))
      conn.read_again_at = std::max<Nanoseconds>(now(), 1);
    on_open_(conn);
    flush(conn);
    make_ready(conn);
  }
}

// What a turn does for one connection; true when the next turn is to go on with it.
bool StreamEnd::serve_one(StreamConn& conn) {
  if (conn.state == Conn::State::connecting) {
    if (conn.failed != 0) close(conn, conn.failed);
    if (conn.failed != 0 || !conn.answered) return false;
    conn.state = Conn::State::open;
    see_stream(Seen::What::opened, conn);
    on_open_(conn);
    flush(conn);
  }
  if (!conn.alive()) return false;
  const bool resumed = conn.resumed && !conn.paused;
  conn.resumed = false;
  if (resumed) {
    feed_rest_(conn);
    flush(conn);
  }
  if (!conn.out.empty()) flush(conn);
  return read(conn);
}

bool StreamEnd::read(StreamConn& conn) {
  for (int reads = 0; conn.state == Conn::State::open && !conn.paused && !conn.over_limit;
       ++reads) {
    if (conn.arrived.empty()) break;
    if (reads == kReadsPerTurn) return true;
    if (conn.read_again_at > 0) {  // A slow reader: a timer will make it ready.
      if (now() < conn.read_again_at) return false;
      conn.read_again_at = now() + options_.slow_pause;
      network_.at(conn.read_again_at, [this, &conn, number = conn.number] {
        if (conn.number == number) make_ready(conn);
      });
    }
    std::size_t size = std::min(conn.arrived.size(), options_.read_size);
    if (options_.split) size = 1 + network_.random() % size;
    read_some(conn, size);
  }
  const bool reads_on = conn.state == Conn::State::open && !conn.paused && !conn.over_limit;
  if (!reads_on || !conn.arrived.empty()) return false;
  if (conn.failed != 0) {
    close(conn, conn.failed);
  } else if (conn.ended) {
    conn.ends = true;
    conn.finish();
    flush(conn);
  }
  return false;
}

void StreamEnd::read_some(StreamConn& conn, std::size_t size) {
  spend(options_.delivery_cost);
  const Bytes bytes = conn.arrived.view().first(size);
  scratch_.assign(bytes.begin(), bytes.end());
  conn.arrived.consume(size);
  conn.read += size;
  conn.idle = 0;
  stats_.bytes_in.add(size);
  std::erase_if(conn.arrivals, [&](const auto& arrival) { return arrival.end < conn.read; });
  received_ = options_.reactor.receive_timestamps ? conn.arrivals.front().at : 0;
  see_stream(Seen::What::read, conn, conn.read);
  if (conn.peer) {
    StreamConn& peer = *conn.peer;
    const bool was_full = peer.under_way >= peer.end->options_.path.window;
    peer.under_way -= size;
    if (was_full) {  // The sender's kernel is told that there is room again.
      travel(conn, 0, [](StreamConn& other) { other.end->make_ready(other); });
    }
  }
  feed_(conn, scratch_);
  conn.copy_lent();  // Lent bytes may lie in the scratch buffer, which the next delivery
                     // overwrites.
  flush(conn);
}

void StreamEnd::flush(Conn& base) {
  auto& conn = static_cast<StreamConn&>(base);
  see_sent(conn);
  if (!conn.alive()) return;
  if (!conn.out.empty()) {
    if (conn.shut) return close(conn, EPIPE);
    if (conn.failed != 0) return close(conn, conn.failed);
    hand_over(conn);
  }
  check_output(conn);
}

// Sends what the window takes; the remainder stays with the connection.
void StreamEnd::hand_over(StreamConn& conn) {
  const std::size_t window = options_.path.window;
  const std::size_t room = window - std::min(window, conn.under_way);
  const Bytes taken = conn.out.view().first(std::min(room, conn.out.size()));
  if (taken.empty()) return;
  spend(options_.send_cost);
  conn.idle = 0;
  conn.under_way += taken.size();
  conn.taken += taken.size();
  stats_.bytes_out.add(taken.size());
  travel(conn, taken.size(), [copy = std::vector(taken.begin(), taken.end())](StreamConn& other) {
    if (other.failed != 0) return;
    other.arrived.append(copy);
    other.arrivals.push_back({other.read + other.arrived.size(), other.end->network_.now()});
    other.end->make_ready(other);
  });
  conn.out.consume(taken.size());
}

// Calls `done` when bytes, or the FIN behind them, arrive at the peer, in the order of sending. A
// peer that is gone answers with an RST.
void StreamEnd::travel(StreamConn& from, std::size_t size, Done done) {
  from.last_arrival =
      std::max(from.last_arrival, network_.arrival(options_.path, size, now(), path_busy_until_));
  network_.at(from.last_arrival, [this, &from, size, number = from.number, to = from.peer,
                                  done = std::move(done)]() mutable {
    if (to && to->number == number) return done(*to);
    if (size == 0 || from.number != number) return;
    const Nanoseconds back = network_.arrival(options_.path, 0, network_.now(), path_busy_until_);
    network_.at(back, [this, &from, number] {
      if (from.number == number) fail(from, ECONNRESET);
    });
  });
}

void StreamEnd::fail(StreamConn& conn, int error) {
  conn.failed = error;
  make_ready(conn);
}

void StreamEnd::check_output(StreamConn& conn) {
  if (conn.out.empty() && conn.state == Conn::State::finishing) return close(conn, conn.error);
  const std::size_t limit = options_.reactor.output_limit;
  if (!conn.over_limit && conn.out.size() > limit) {
    conn.over_limit = true;
    stats_.pauses.add();
  } else if (conn.over_limit && conn.out.size() <= limit / 2) {
    conn.over_limit = false;  // Reading goes on in the turn after the peer's window opens.
  }
}

void StreamEnd::resume(Conn& base) {
  auto& conn = static_cast<StreamConn&>(base);
  conn.paused = false;
  conn.resumed = true;
  make_ready(conn);
}

void StreamEnd::close(Conn& conn, int error) {
  if (conn.state == Conn::State::closing) return;
  conn.state = Conn::State::closing;
  conn.error = static_cast<std::int16_t>(error);
  dead_.push_back(static_cast<StreamConn*>(&conn));
  wake();
}

void StreamEnd::reap() {
  for (std::size_t i = 0; i < dead_.size(); ++i) {  // on_close may end further connections.
    StreamConn& conn = *dead_[i];
    see_sent(conn);
    see_stream(Seen::What::closed, conn, conn.read);
    on_close_(conn, conn.error);
    free(conn);
  }
  dead_.clear();
}

// Closes the socket: the peer gets a FIN, or an RST if bytes were left unread.
void StreamEnd::free(StreamConn& conn) {
  if (conn.peer && conn.failed == 0) {
    const bool unread = !conn.arrived.empty();
    travel(conn, 0, [unread](StreamConn& other) {
      if (unread) return other.end->fail(other, ECONNRESET);
      other.ended = true;
      other.end->make_ready(other);
    });
  }
  if (conn.peer) conn.peer->peer = nullptr;
  ready_.forget(conn);
  pool_.give_back(conn);
}

// Buffer::held_here() counts both ends, since they are on one thread.
std::size_t StreamEnd::held() {
  std::size_t held = 0;
  if (options_.reactor.memory_limit == SIZE_MAX) return held;
  pool_.for_each([&](const StreamConn& conn) { held += conn.held(); });
  return held;
}

StreamConn* StreamEnd::pick_open() {
  std::vector<StreamConn*> open;
  pool_.for_each([&](StreamConn& conn) {
    if (conn.alive() && conn.peer && !conn.shut) open.push_back(&conn);
  });
  return open.empty() ? nullptr : open[network_.random() % open.size()];
}

void StreamEnd::reset_one() {
  StreamConn* conn = pick_open();
  if (!conn) return;
  conn->peer->end->fail(*conn->peer, ECONNRESET);
  fail(*conn, ECONNRESET);
}

void StreamEnd::half_close_one() {
  StreamConn* conn = pick_open();
  if (!conn) return;
  conn->shut = true;
  travel(*conn, 0, [](StreamConn& other) {
    other.ended = true;
    other.end->make_ready(other);
  });
}

// Reports what the handler has sent, whether or not it has left.
void StreamEnd::see_sent(StreamConn& conn) {
  conn.copy_lent();
  const std::uint64_t sent = conn.taken + conn.out.size();
  if (std::exchange(conn.sent, sent) != sent) see_stream(Seen::What::sent, conn, sent);
}

void StreamEnd::see_stream(Seen::What what, const StreamConn& conn, std::uint64_t bytes) const {
  Nanoseconds arrived = 0;
  if (!conn.arrivals.empty())
    arrived = what == Seen::What::closed ? conn.arrivals.back().at : conn.arrivals.front().at;
  see({what,
       conn.accepted,
       conn.number,
       conn.user,
       bytes,
       {},
       now(),
       arrived,
       conn.arrived.size(),
       conn.error,
       conn.ends});
}

}  // namespace wiremark::net::sim
