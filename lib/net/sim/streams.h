// Stream connections of a simulated network: handshakes, windows, splits, resets and half-closes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "net/address.h"
#include "net/conn_pool.h"
#include "net/sim/end.h"
#include "net/socket.h"
#include "net/upkeep.h"

namespace wiremark::net::sim {

class StreamEnd;

/// A connection of an end, with what its kernel would keep. Data under way names its connection by
/// number, since this memory may be another connection's when it arrives.
struct StreamConn : Conn {
  std::uint64_t number = 0;
  StreamEnd* end = nullptr;
  StreamConn* peer = nullptr;     // Null before the handshake and after the peer's end.
  bool ready = false;             // The next turn serves it.
  bool shut = false;              // We have sent a FIN and still read.
  bool ended = false;             // The peer's FIN has arrived, behind its bytes,
  bool ends = false;              // and has been read.
  int failed = 0;                 // The errno of an RST, or of a handshake that failed.
  bool answered = false;          // The listener has accepted the handshake.
  std::size_t under_way = 0;      // Bytes sent that the peer has not read.
  Nanoseconds last_arrival = 0;   // Of the last bytes that we sent.
  Nanoseconds read_again_at = 0;  // When a slow reader reads again.
  std::uint64_t sent = 0;         // Bytes flushed,
  std::uint64_t taken = 0;        // and of them those that the window took.
  std::uint64_t read = 0;
  Buffer arrived;

  std::size_t held() const noexcept { return out.held() + stash.held(); }

  struct Arrival {
    std::uint64_t end;  // Where its bytes end in the stream.
    Nanoseconds at;
  };
  std::vector<Arrival> arrivals;  // From the one that holds the last byte read.
};

/// The reactor of one end. A client finds the other end by the address that it listens on. Both
/// must outlive the run of the network.
class StreamEnd : public End {
 public:
  /// Which end listens at each address; all ends of a network share one such map.
  using Listeners = std::map<std::string, StreamEnd*>;

  StreamEnd(Network& network, Listeners& listeners, EndOptions options)
      : End(network, std::move(options)), listeners_(listeners), upkeep_(options_.reactor) {}

  Result<Address> listen(const Address& at, const ListenOptions& options);
  Result<Conn*> connect(const Address& to, const ConnectOptions& options, void* user);
  void flush(Conn& conn);
  Handed handed(const Conn& conn) const noexcept {
    return conn.out.empty() && conn.lent_size == 0 ? Handed::all : Handed::waiting;
  }
  std::size_t unacknowledged(const Conn& conn) const noexcept {
    return static_cast<const StreamConn&>(conn).under_way + conn.out.size() + conn.lent_size;
  }
  void close(Conn& conn, int error = 0);
  void resume(Conn& conn);
  /// There is no socket to hand over: the connection just ends.
  Fd release(Conn&) { return Fd(); }
  /// Without those that wait to be accepted.
  std::size_t connections() const noexcept { return pool_.in_use() - backlog_.size(); }
  template <class F>
  void for_each(F&& visit) {
    pool_.for_each([&](StreamConn& conn) {
      const bool announced = !conn.accepted || conn.state != Conn::State::connecting;
      if (announced) visit(conn);
    });
  }

  /// Gives the loop its handler; it begins when the network runs.
  template <StreamHandler H>
  void serve(H& handler);

  /// Resets a random open connection, as a middlebox would: both ends get an RST.
  void reset_one();
  /// Sends the FIN of a random one, and goes on reading from it.
  void half_close_one();

 private:
  // Reads of one connection in a turn, so that none starves the others.
  static constexpr int kReadsPerTurn = 16;
  // How often a SYN is sent again to a full queue: after 1 s, 3 s and so on (tcp_syn_retries).
  static constexpr int kSynRetries = 6;

  using Done = std::move_only_function<void(StreamConn&)>;

  bool deliver() override;
  void reap() override;
  bool has_work() const override { return !ready_.empty() || !backlog_.empty() || !dead_.empty(); }

  bool serve_one(StreamConn& conn);
  bool read(StreamConn& conn);
  void read_some(StreamConn& conn, std::size_t size);
  void accept_some();
  void make_ready(StreamConn& conn);
  void check_output(StreamConn& conn);
  void hand_over(StreamConn& conn);
  void travel(StreamConn& from, std::size_t size, Done done);
  void fail(StreamConn& conn, int error);
  void free(StreamConn& conn);
  void syn(StreamConn& client, std::uint64_t number, const std::string& to, Nanoseconds sent,
           int retries);
  void answer_handshake(StreamConn& client, std::uint64_t number, int error);
  std::size_t held();
  StreamConn* pick_open();
  void see_sent(StreamConn& conn);
  void see_stream(Seen::What what, const StreamConn& conn, std::uint64_t bytes = 0) const;

  Listeners& listeners_;
  ConnPool<StreamConn> pool_;
  Upkeep upkeep_;
  std::deque<StreamConn*> backlog_;
  ReadyQueue<StreamConn> ready_;
  std::vector<StreamConn*> dead_;
  std::function<void(Conn&)> on_open_;
  std::function<void(Conn&, int)> on_close_;
  std::function<void(Conn&, Bytes)> feed_;
  std::function<void(Conn&)> feed_rest_;
  std::vector<std::byte> scratch_;
};

template <StreamHandler H>
void StreamEnd::serve(H& handler) {
  on_open_ = [&handler](Conn& conn) { handler.on_open(conn); };
  on_close_ = [&handler](Conn& conn, int error) { handler.on_close(conn, error); };
  feed_ = [this, &handler](Conn& conn, Bytes bytes) {
    feed(conn, bytes, handler, options_.reactor.stash_limit);
  };
  feed_rest_ = [&handler](Conn& conn) { feed_rest(conn, handler); };
  begin([this, &handler](Nanoseconds now) {
    upkeep_.turn(now, held(), pool_, [this](Conn& conn, int why) { close(conn, why); });
    return std::min(handler.on_turn(now), upkeep_.due());
  });
}

}  // namespace wiremark::net::sim
