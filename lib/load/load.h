// One thread's part of a load: opens its connections, sends by the plan, takes the replies, counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

#include "load/counts.h"
#include "load/exchange/exchange.h"
#include "load/gaps.h"
#include "load/ledger.h"
#include "load/plan/plan.h"
#include "load/plan/walk.h"
#include "load/slots.h"
#include "load/start_gate.h"
#include "net/concepts.h"

namespace wiremark::load {

/// What carries a load: streams or datagrams.
template <class Net>
concept Carrier = net::Streams<Net> != net::Datagrams<Net>;

/// After the last answer over UDP we keep listening this long for late and duplicate replies.
inline constexpr Nanoseconds kLinger = 100 * kMillisecond;

/// A handler, compiled for the views of every backend. In an open loop the plan says
/// when messages are due. In a closed loop each connection sends its first messages and then one
/// for each answer, until the time is over or the thread's share of the requests is sent. Client i
/// of thread t is connection i * threads + t of the load.
///
/// A stream connection that has had its share of messages, or ended, may be opened again. What is
/// due meanwhile waits for it; what was under way is lost. One that the server closed with nothing
/// under way has lost nothing, and is opened when its next message is due. What met a connection
/// that the server had closed is sent once more, if it is repeatable. Over UDP nothing ends a
/// connection, and a message without an answer is lost by itself, after the timeout.
///
/// In an exchange without replies (Exchange::one_way) a message counts as answered when the kernel
/// has taken its last byte.
template <Carrier Net>
class Load {
 public:
  Load(Net& net, Exchange& exchange, const Plan& plan, std::size_t thread, StartGate& gate,
       Counts& counts);

  Nanoseconds on_turn(Nanoseconds now);

  void on_open(net::Conn& conn)
    requires net::Streams<Net>;
  std::size_t on_data(net::Conn& conn, Bytes bytes)
    requires net::Streams<Net>;
  void on_close(net::Conn& conn, int error)
    requires net::Streams<Net>;

  void on_datagram(net::DatagramConn& conn, Bytes bytes)
    requires net::Datagrams<Net>;
  void on_datagram_error(net::DatagramConn& conn, int error)
    requires net::Datagrams<Net>;

 private:
  static constexpr bool kStreams = net::Streams<Net>;
  using Handle = std::conditional_t<kStreams, net::Conn, net::DatagramConn>;
  using Book = std::conditional_t<kStreams, Slots, Ledger>;

  enum class Phase { connecting, waiting, running, lingering, done };

  struct Client {
    Handle* conn = nullptr;                // Null before it is connected and after its end.
    Nanoseconds connect_began_ns = 0;      // Streams.
    std::uint32_t due = 0;                 // Open loop: messages whose planned time has come.
    std::uint32_t first_measured = kNone;  // Closed loop: the first message after the warm-up.
    std::uint32_t first_sent = 0;          // The first message of this connection.
    std::uint32_t not_repeated = 0;        // The first message that was not sent once more.
    std::uint32_t first_unsettled = 0;     // One way, datagrams.
    bool usable = false;                   // Opened, and neither refused nor retired.
    bool refused : 1 = false;              // We ended it and have counted why.
    bool retired : 1 = false;              // It has had its share of messages.
    bool opened : 1 = false;
    bool opened_before : 1 = false;
    bool resting : 1 = false;    // Ended, and opened again when its next message is due.
    bool gone : 1 = false;       // It will not be opened again.
    bool unsettled : 1 = false;  // It is in unsettled_.
  };

  // When a connection that has ended is opened again.
  enum class Again { now, when_due, later, later_if_asked };

  struct Reopening {
    Client* client;
    Nanoseconds at;
  };

  static constexpr std::uint32_t kNone = ~0u;
  // Connections being opened at once by one thread, well below the listen backlog.
  static constexpr std::size_t kConnecting = 256;
  // The loop spins for the last part of the wait for a connection: a wake-up takes 20 to 60 us.
  static constexpr Nanoseconds kConnectSpin = 100 * kMicrosecond;
  // The first connection is due this much later, so that all threads are ready for it.
  static constexpr Nanoseconds kConnectLead = kMillisecond;
  // Sweeps per timeout: a stalled connection is closed, or a lost datagram given up, at most an
  // eighth of it late.
  static constexpr Nanoseconds kSweeps = 8;
  // After a connection without a reply: soon enough to find a server that comes back, seldom
  // enough to spare it.
  static constexpr Nanoseconds kReconnectPause = 100 * kMillisecond;

  std::size_t index(const Client& client) const noexcept {
    return static_cast<std::size_t>(&client - clients_.data());
  }
  MessageId message(std::size_t client, std::uint32_t sequence) const noexcept {
    return {client, static_cast<std::uint32_t>(walk_.number(client)), sequence};
  }
  bool measured(std::size_t client, std::uint32_t sequence) const noexcept {
    return open_loop_ ? walk_.measured(client, sequence)
                      : sequence >= clients_[client].first_measured;
  }
  // Whether what happens `at` belongs to the rate: what comes in the asked time, or what is
  // measured where no time was asked for.
  bool in_time(bool measured, Nanoseconds at) const noexcept {
    return end_ == kNever ? measured : at >= measure_from_ && at < end_;
  }
  MeasuredPart measured_part() const noexcept {
    return {measure_from_, end_, counts_.last_answer_ns.load(std::memory_order_relaxed)};
  }
  bool all_sent(Nanoseconds now) const noexcept;

  Nanoseconds connect_some(Nanoseconds now);
  void connect(Client& client);
  void connect_failed(Client& client, const Error& error);
  Nanoseconds reopen_some(Nanoseconds now);
  void ended(Client& client, Again again);
  void wake(Client& client);
  bool quiet(Nanoseconds now) const noexcept;
  [[gnu::noinline]] Nanoseconds full_turn(Nanoseconds now);
  Nanoseconds start(Nanoseconds now);
  Nanoseconds send_due(Nanoseconds now);
  Nanoseconds come_due(std::size_t client, Nanoseconds now);
  // Each of these runs once a message and costs less than a call.
  [[gnu::always_inline]] bool has_room(std::size_t client) const noexcept;
  [[gnu::always_inline]] bool may_send(std::size_t client, Nanoseconds now) const noexcept;
  [[gnu::always_inline]] void fill(std::size_t client, Nanoseconds now);
  [[gnu::always_inline]] void send(std::size_t client, Nanoseconds now, bool held);
  [[gnu::always_inline]] std::size_t transmit(std::size_t client, MessageId message);
  [[gnu::always_inline]] void answered(MessageId message, const Slots::Entry& sent, Reply reply,
                                       Nanoseconds came, Nanoseconds heard, Nanoseconds now);
  void retire_if_done(std::size_t client);
  void settle_later(std::size_t client, net::Handed handed);
  void settle_now_or_later(std::size_t client);
  net::Handed handed_of(std::size_t client) const;
  void settle_some();
  void settle(std::size_t client);
  void drop(MessageId message);
  void push(std::size_t client, Nanoseconds now);
  void ready(Client& client, Nanoseconds now)
    requires net::Streams<Net>;
  std::size_t greeted(Client& client, Bytes bytes)
    requires net::Streams<Net>;
  [[gnu::noinline]] void count_error_reply();
  [[gnu::noinline]] void ended_by_server(std::size_t client);
  void close_ends_reply(Client& client)
    requires net::Streams<Net>;
  bool lost_nothing(std::size_t client, const net::Conn& conn, int error) const
    requires net::Streams<Net>;
  bool met_closed(std::size_t client, const net::Conn& conn, int error) const
    requires net::Streams<Net>;
  bool may_repeat(std::size_t client) const
    requires net::Streams<Net>;
  void repeat(Client& client, Nanoseconds now)
    requires net::Streams<Net>;
  // Seldom, and kept out of what is not.
  [[gnu::noinline]] void wrong(std::size_t size, const std::string& why);
  void sweep(Nanoseconds now);
  bool over(Nanoseconds now);
  Nanoseconds leave(Nanoseconds now);
  void watch_itself();
  Nanoseconds oldest() const noexcept;
  void lose_unrepeated()
    requires net::Streams<Net>;
  void forgo_rest();
  void fail(std::string kind);
  [[gnu::noinline]] void refuse_reply(Client& client);
  [[gnu::noinline]] void refuse(Client& client, Refusal why);

  Net& net_;
  Exchange& exchange_;
  const Plan& plan_;
  StartGate& gate_;
  Counts& counts_;
  Walk walk_;
  const bool open_loop_;
  Phase phase_ = Phase::connecting;
  std::vector<Client> clients_;
  Book book_;
  std::deque<Client*> reopen_now_;
  std::deque<Reopening> reopen_later_;  // In the order of their times.

  std::size_t next_connect_ = 0;
  std::size_t connecting_ = 0;
  std::size_t alive_ = 0;
  std::size_t resting_ = 0;

  Gaps gaps_;

  Nanoseconds measure_from_ = 0;
  Nanoseconds end_ = kNever;       // Of the measured part; kNever without a limit of time.
  Nanoseconds forgo_at_ = kNever;  // Open loop: when what has not been sent never will be.
  Nanoseconds next_sweep_ = kNever;
  Nanoseconds chore_at_ = 0;    // When a turn is the next one to end or give up anything.
  Nanoseconds idle_since_ = 0;  // Since when only closed connections hold up the end.
  Nanoseconds linger_until_ = 0;
  std::size_t next_first_ = 0;  // Closed loop: who sends its first message.
  std::uint64_t budget_;        // Closed loop: requests left to this thread.
  std::uint64_t waiting_ = 0;   // Open loop: due, and not sent.
  std::uint64_t under_way_ = 0;
  bool sends_by_itself_ = true;  // In a closed loop, until each connection sent its first message.
  const bool one_way_;
  std::vector<std::size_t> unsettled_;  // One way: clients whose messages the kernel may not have.
  bool some_queued_ = false;            // One way: the next turn tells of some.
  std::vector<std::size_t> settling_;   // Swapped with unsettled_ while it is walked.
  bool heard_ = false;                  // An answer has come; over UDP the gate was told.
};

}  // namespace wiremark::load
