// Datagrams that pass the kernel together, through both reactors on real sockets: each arrives
// whole, in order and by itself, whatever was sent together.
#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <vector>

#include "datagram_peer.h"
#include "net/udp_offload.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

using Sizes = std::vector<std::size_t>;

std::string numbered(std::size_t size, std::size_t number) { return noise(size, 7 * number + 1); }

/// A socket that is asked to hand over each datagram by itself, and that listens.
class Plain {
 public:
  explicit Plain(const std::string& where) {
    ListenOptions roomy;
    roomy.receive_buffer = 8 << 20;
    auto bound = bind_on(net::address(where), roomy);
    REQUIRE(bound);
    fd_ = std::move(*bound);
  }
  Address address() const { return Address::of_socket(fd_.get()).value(); }
  std::string receive() const {
    pollfd watched{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, 20'000) != 1) return "(nothing)";
    std::string text(kDatagramRoom, '\0');
    const ssize_t size = ::recv(fd_.get(), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text;
  }
  bool is_empty() const {
    pollfd watched{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&watched, 1, 0) == 0;
  }

 private:
  Fd fd_;
};

/// Sends all of `text` as datagrams of `segment` bytes, the last as long as is left.
void send_together(const Peer& peer, const std::string& text, std::size_t segment) {
  alignas(cmsghdr) std::byte control[kSegmentControl] = {};
  iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  make_segment(*CMSG_FIRSTHDR(&message), static_cast<std::uint16_t>(segment));
  REQUIRE(::sendmsg(peer.fd(), &message, 0) == static_cast<ssize_t>(text.size()));
}

/// Sends in its first turn what the test has given it, and ends.
template <class R>
struct Burst {
  struct Message {
    std::size_t conn;
    std::string text;
  };

  void on_datagram(DatagramConn&, Bytes bytes) {
    came.emplace_back(as_text(bytes));
    if (came.size() == wanted) stop.request();
  }
  void on_datagram_error(DatagramConn&, int error) { errors.push_back(error); }
  Nanoseconds on_turn(Nanoseconds) {
    if (++turns > 1) {  // Of io_uring the second tells what failed in the first.
      if (wanted == 0 && turns > 5) stop.request();
      return wanted == 0 ? 0 : kNever;
    }
    for (const Message& message : messages) {
      const Bytes text = as_bytes(message.text);
      const std::size_t cut = std::min<std::size_t>(text.size(), 5);
      if (const int error = reactor->send(*conns[message.conn], text.first(cut), text.subspan(cut)))
        errors.push_back(error);
    }
    return 0;
  }

  DatagramsOf<R>* reactor = nullptr;
  std::vector<DatagramConn*> conns;
  std::vector<Message> messages;
  std::size_t wanted = 0;  // Answers to wait for.
  int turns = 0;
  Stop stop;
  std::vector<std::string> came;
  std::vector<int> errors;
};

/// Connects one socket to each, sends the messages and gives what the reactor counted.
template <class R>
ReactorStats run_burst(Burst<R>& burst, const std::vector<Address>& to,
                       const ReactorOptions& options = {}, bool without_checksum = false) {
  auto backend = R::open(options);
  REQUIRE(backend);
  DatagramsOf<R> reactor(**backend);
  burst.reactor = &reactor;
  ConnectOptions roomy;
  roomy.receive_buffer = roomy.send_buffer = 8 << 20;
  for (const Address& address : to) {
    const auto conn = reactor.connect(address, roomy, nullptr);
    REQUIRE(conn);
    const int on = without_checksum;
    REQUIRE(::setsockopt((*conn)->fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof on) == 0);
    burst.conns.push_back(*conn);
  }
  REQUIRE(reactor.run(burst, burst.stop));
  return reactor.stats();
}

std::size_t sum(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

TEST_CASE_TEMPLATE("datagrams that came together are answered together, each by itself", R,
                   EpollReactor, UringReactor) {
  for (const std::string where :
       {"udp:127.0.0.1:0", "udp:[::1]:0", "udp:0.0.0.0:0", "udp:[::]:0"}) {
    CAPTURE(where);
    DatagramEcho echo;
    ListenOptions roomy;
    roomy.receive_buffer = 8 << 20;
    Server<R, DatagramEcho> server(echo, {}, where, roomy);
    const Address at =
        with_host(server.address(), server.address().family() == AF_INET ? "127.0.0.1" : "[::1]");
    const Peer peer(at);
    std::size_t sent = 0, beyond_one = 0;
    for (const auto& [segment, size] : {std::pair(1u, 64u),
                                        {64u, 4'096u},
                                        {64u, 4'033u},
                                        {100u, 150u},
                                        {512u, 32'768u},
                                        {1'472u, 14'721u},
                                        {20'000u, 45'000u},
                                        {30'000u, 60'001u}}) {
      CAPTURE(segment);
      std::string text(size, 'e');
      for (std::size_t i = 0; i < size; i += segment)
        text.replace(i, std::min<std::size_t>(segment, size - i),
                     "e" + noise(std::min<std::size_t>(segment, size - i) - 1, i));
      send_together(peer, text, segment);
      for (std::size_t i = 0; i < size; i += segment, ++sent)
        CHECK((peer.receive() == text.substr(i, segment)));
      beyond_one += (size - 1) / segment;
    }
    server.stop();
    CHECK(server.stats().datagrams_in.get() == sent);
    CHECK(server.stats().datagrams_out.get() == sent);
    CHECK(server.stats().gathered_in.get() == beyond_one);
    CHECK(server.stats().gathered_out.get() == beyond_one);
    CHECK(server.stats().bytes_in.get() == server.stats().bytes_out.get());
    CHECK(server.stats().copied.get() == 0);
    CHECK(echo.datagrams == sent);
  }
}

TEST_CASE_TEMPLATE("some of them have no answer, or one that lies elsewhere", R, EpollReactor,
                   UringReactor) {
  DatagramEcho echo;
  Server<R, DatagramEcho> server(echo, {}, "udp:127.0.0.1:0");
  const Peer peer(server.address());
  std::size_t sent = 0, answered = 0;
  for (const std::string kinds :
       {"x", "xxxx", "exe", "xeeexx", "ccccc", "cecec", "eeecc", "ccxee",
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeex", "ceccccccccccccccccccccccccccce"}) {
    CAPTURE(kinds);
    std::string text;
    for (const char kind : kinds) text += kind + numbered(98, text.size());
    text.resize(text.size() - 40);  // The last is shorter.
    send_together(peer, text, 99);
    REQUIRE(peer.send("behind it"));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != 'x') CHECK((peer.receive() == text.substr(99 * i, 99)));
      answered += kinds[i] != 'x';
    }
    CHECK(peer.receive() == "behind it");
    sent += kinds.size() + 1;
    ++answered;
  }
  server.stop();
  CHECK(server.stats().datagrams_in.get() == sent);
  CHECK(server.stats().datagrams_out.get() == answered);
  CHECK(server.stats().gathered_out.get() > 0);
  CHECK(server.stats().datagrams_unsent.get() == 0);
}

TEST_CASE_TEMPLATE("what a turn sends to one peer leaves together, in order and whole", R,
                   EpollReactor, UringReactor) {
  for (const std::string where : {"udp:127.0.0.1:0", "udp:[::1]:0"}) {
    CAPTURE(where);
    for (const auto& [sizes, beyond_one] : {std::pair(Sizes{64}, 0u),
                                            {Sizes(2, 64), 0u},
                                            {Sizes(3, 64), 1u},
                                            {Sizes(65, 64), 63u},
                                            {Sizes(66, 64), 63u},
                                            {Sizes{9, 64, 64, 30, 64, 64, 65}, 3u},
                                            {Sizes{9, 0, 0, 1, 1, 0, 1}, 1u},
                                            {Sizes(5, 20'000), 2u},
                                            {Sizes(3, 40'000), 0u},
                                            {Sizes{9, 65'507, 65'507, 1'472, 1'472, 1'471}, 2u}}) {
      CAPTURE(sizes.size());
      CAPTURE(sum(sizes));
      const Plain plain(where);
      Burst<R> burst;
      for (std::size_t i = 0; i < sizes.size(); ++i)
        burst.messages.push_back({0, numbered(sizes[i], i)});
      const ReactorStats stats = run_burst(burst, {plain.address()});
      for (const auto& message : burst.messages) CHECK((plain.receive() == message.text));
      CHECK(plain.is_empty());
      CHECK(burst.errors.empty());
      CHECK(stats.datagrams_out.get() == sizes.size());
      CHECK(stats.gathered_out.get() == beyond_one);
      CHECK(stats.bytes_out.get() == sum(sizes));
    }
  }
}

TEST_CASE_TEMPLATE("what goes to several peers in turn is gathered for each", R, EpollReactor,
                   UringReactor) {
  const Plain one("udp:127.0.0.1:0"), two("udp:127.0.0.1:0"), three("udp:[::1]:0");
  const std::vector<const Plain*> peers = {&one, &two, &three};
  Burst<R> burst;
  for (std::size_t i = 0; i < 300; ++i)
    burst.messages.push_back({i % 3, numbered(i % 50 == 0 ? 11 : 100, i)});
  const ReactorStats stats = run_burst(burst, {one.address(), two.address(), three.address()});
  for (const auto& message : burst.messages)
    CHECK((peers[message.conn]->receive() == message.text));
  for (const Plain* peer : peers) CHECK(peer->is_empty());
  CHECK(stats.datagrams_out.get() == 300);
  CHECK(stats.gathered_out.get() >= 280);
}

TEST_CASE_TEMPLATE("both ends gather, and every datagram comes back", R, EpollReactor,
                   UringReactor) {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ReactorOptions options;
    options.udp_offload = on;
    DatagramEcho echo;
    ListenOptions roomy;
    roomy.receive_buffer = 8 << 20;
    Server<R, DatagramEcho> server(echo, options, "udp:127.0.0.1:0", roomy);
    Burst<R> burst;
    burst.wanted = 200;
    for (std::size_t i = 0; i < burst.wanted; ++i)
      burst.messages.push_back({0, "e" + numbered(i % 40 == 0 ? 30 : 70, i)});
    const ReactorStats stats = run_burst(burst, {server.address()}, options);
    REQUIRE(burst.came.size() == burst.wanted);
    for (std::size_t i = 0; i < burst.wanted; ++i) CHECK((burst.came[i] == burst.messages[i].text));
    server.stop();
    CHECK(stats.datagrams_in.get() == burst.wanted);
    CHECK((stats.gathered_out.get() > 150) == on);
    CHECK((stats.gathered_in.get() > 0) == on);
    CHECK((server.stats().gathered_out.get() > 0) == on);
    CHECK((server.stats().gathered_in.get() > 0) == on);
    CHECK(server.stats().datagrams_in.get() == burst.wanted);
  }
}

namespace {

/// Keeps a few datagrams in flight, each answer bringing the next.
template <class R>
struct Rounds {
  static constexpr std::size_t kInFlight = 8;

  std::string message(std::size_t number) const { return "e" + numbered(50, number); }
  void send_next() {
    const std::string text = message(sent++);
    CHECK(reactor->send(*conn, as_bytes(text), {}) == 0);
  }
  void on_datagram(DatagramConn&, Bytes bytes) {
    in_order &= as_text(bytes) == message(came++);
    if (!tried_both())
      send_next();
    else if (came == sent)
      stop.request();
  }
  // Together, a send carries all that are in flight.
  bool tried_both() const {
    const std::uint64_t out = reactor->stats().datagrams_out.get();
    const std::uint64_t sends = out - reactor->stats().gathered_out.get();
    return sends > 500 + out / kInFlight && out - sends > 500;
  }
  void on_datagram_error(DatagramConn&, int error) { CHECK(error == 0); }
  Nanoseconds on_turn(Nanoseconds) {
    while (sent < kInFlight) send_next();
    return kNever;
  }

  DatagramsOf<R>* reactor = nullptr;
  DatagramConn* conn = nullptr;
  std::size_t sent = 0, came = 0;
  bool in_order = true;
  Stop stop;
};

}  // namespace

TEST_CASE_TEMPLATE("a few in flight come back in order, while together and one by one are tried", R,
                   EpollReactor, UringReactor) {
  DatagramEcho echo;
  Server<R, DatagramEcho> server(echo, {}, "udp:127.0.0.1:0");
  auto backend = R::open({});
  REQUIRE(backend);
  DatagramsOf<R> reactor(**backend);
  Rounds<R> rounds;
  rounds.reactor = &reactor;
  const auto conn = reactor.connect(server.address(), {}, nullptr);
  REQUIRE(conn);
  rounds.conn = *conn;
  REQUIRE(reactor.run(rounds, rounds.stop));
  server.stop();
  CHECK(rounds.in_order);
  const ReactorStats& stats = reactor.stats();
  CHECK(stats.datagrams_out.get() == rounds.sent);
  CHECK(stats.datagrams_in.get() == rounds.sent);
  CHECK(server.stats().datagrams_out.get() == rounds.sent);
}

// A socket that makes no checksums (SO_NO_CHECK) has its gathered sends refused with EINVAL, as one
// whose datagrams are longer than the route carries.
TEST_CASE_TEMPLATE("what the kernel refuses to send together leaves one by one", R, EpollReactor,
                   UringReactor) {
  const Plain plain("udp:127.0.0.1:0");
  Burst<R> burst;
  for (std::size_t i = 0; i < 200; ++i) burst.messages.push_back({0, numbered(64, i)});
  const ReactorStats stats = run_burst(burst, {plain.address()}, {}, true);
  for (const auto& message : burst.messages) CHECK((plain.receive() == message.text));
  CHECK(plain.is_empty());
  CHECK(burst.errors.empty());
  CHECK(stats.datagrams_out.get() == 200);
  CHECK(stats.datagrams_unsent.get() == 0);
  CHECK(stats.gathered_out.get() == 0);
  CHECK(stats.bytes_out.get() == 200 * 64);
}

TEST_CASE_TEMPLATE("so do answers", R, EpollReactor, UringReactor) {
  DatagramEcho echo;
  Server<R, DatagramEcho> server(echo, {}, "udp:127.0.0.1:0");
  constexpr int kOn = 1;
  const int fd = socket_at(server.address());
  REQUIRE(::setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &kOn, sizeof kOn) == 0);
  const Peer peer(server.address());
  for (int round = 0; round < 3; ++round) {
    std::string text;
    for (std::size_t i = 0; i < 40; ++i) text += (i % 7 ? 'e' : 'c') + numbered(49, i);
    send_together(peer, text, 50);
    std::vector<std::string> sent, came;
    for (std::size_t i = 0; i < 40; ++i) {
      sent.push_back(text.substr(50 * i, 50));
      came.push_back(peer.receive());
    }
    if (round == 0) {  // io_uring learns of the refusal in its next turn: order is lost once.
      std::ranges::sort(sent);
      std::ranges::sort(came);
    }
    CHECK((came == sent));
  }
  server.stop();
  CHECK(server.stats().datagrams_in.get() == 120);
  CHECK(server.stats().datagrams_out.get() == 120);
  CHECK(server.stats().gathered_out.get() == 0);
  CHECK(server.stats().datagrams_unsent.get() == 0);
}

// A port where nobody listens answers the first send, and the next takes that answer in place of
// its datagram: of those that leave together one is lost, and not all.
TEST_CASE_TEMPLATE("the error of an earlier datagram takes one with it", R, EpollReactor,
                   UringReactor) {
  const RefusingPort nowhere("udp:127.0.0.1:0");
  Burst<R> burst;
  burst.messages.push_back({0, "into the void"});
  for (std::size_t i = 0; i < 20; ++i) burst.messages.push_back({0, numbered(64, i)});
  const ReactorStats stats = run_burst(burst, {nowhere.address()});
  REQUIRE(!burst.errors.empty());
  for (const int error : burst.errors) CHECK(error == ECONNREFUSED);
  CHECK(stats.datagrams_out.get() + stats.datagrams_unsent.get() == 21);
  CHECK(stats.datagrams_unsent.get() == 1);
  CHECK(stats.gathered_out.get() >= 17);
}
