// Two ends of a simulated network that a test drives step by step: a server, and its clients.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "net/sim/streams.h"
#include "noise.h"

namespace wiremark::net::sim {

/// What a path takes where a test says nothing else.
inline constexpr Nanoseconds kLatency = 20 * kMicrosecond;

/// The number of a connection, the same at both ends.
inline std::uint64_t number_of(const Conn& conn) {
  return static_cast<const StreamConn&>(conn).number;
}

/// Keeps what comes, by connection; in each callback it also does what the test says.
struct Keeper {
  void on_open(Conn& conn) {
    conns[number_of(conn)] = &conn;
    if (at_open) at_open(conn);
  }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    const std::size_t used = at_data ? at_data(conn, bytes) : bytes.size();
    got[number_of(conn)] += as_text(bytes.first(used));
    return used;
  }
  void on_close(Conn& conn, int error) {
    conns.erase(number_of(conn));
    errors.push_back(error);
    if (at_close) at_close(conn);
  }
  Nanoseconds on_turn(Nanoseconds now) { return at_turn ? at_turn(now) : kNever; }

  std::map<std::uint64_t, Conn*> conns;  ///< The open ones.
  std::map<std::uint64_t, std::string> got;
  std::vector<int> errors;  ///< One for each on_close, in order.
  std::function<void(Conn&)> at_open, at_close;
  std::function<std::size_t(Conn&, Bytes)> at_data;
  std::function<Nanoseconds(Nanoseconds)> at_turn;
};

/// Where clients connect to.
inline const Address kServer = *Address::parse("127.0.0.1:7007");

struct Pair {
  explicit Pair(EndOptions of_server = {}, EndOptions of_clients = {}, std::uint64_t seed = 1)
      : network(seed),
        server(network, listeners, std::move(of_server)),
        client(network, listeners, std::move(of_clients)) {
    client.serve(clients);
  }

  template <StreamHandler H>
  void serve(H& handler) {
    server.serve(handler);
    (void)server.listen(kServer, {});
  }

  /// Runs the network until nothing is left to happen, or until `end`.
  void run(Nanoseconds end = kNever) { network.run(never, end); }

  /// Lets a second pass, so that both loops sleep in the end; the time then.
  Nanoseconds idle() {
    network.at(network.now() + kSecond, [] {});
    run();
    return network.now();
  }

  /// A client begins to connect.
  std::uint64_t connect() { return number_of(**client.connect(kServer, {}, nullptr)); }

  /// A client connects and has all the time that it needs.
  std::uint64_t open() {
    const std::uint64_t number = connect();
    run();
    return number;
  }

  /// A client sends, if it still can.
  void post(std::uint64_t number, Bytes bytes) {
    const auto found = clients.conns.find(number);
    if (found == clients.conns.end()) return;
    found->second->append(bytes);
    client.flush(*found->second);
  }

  /// The same, and all that follows from it.
  void send(std::uint64_t number, Bytes bytes) {
    post(number, bytes);
    run();
  }

  /// The only client ends what it sends, and goes on reading.
  void end_sending() {
    client.half_close_one();
    run();
  }

  /// The server's end of a connection that stands.
  Conn& at_server(std::uint64_t number) {
    return *static_cast<StreamConn&>(*clients.conns.at(number)).peer;
  }

  Network network;
  StreamEnd::Listeners listeners;
  Keeper clients;
  StreamEnd server, client;
  Stop never;
};

/// What one end did.
struct Log {
  explicit Log(End& end) {
    end.watch([this](const Seen& seen) { all.push_back(seen); });
  }

  std::vector<Nanoseconds> times(Seen::What what) const {
    std::vector<Nanoseconds> times;
    for (const Seen& seen : all) {
      if (seen.what == what) times.push_back(seen.at);
    }
    return times;
  }

  std::vector<Seen> all;
};

/// A pair whose server keeps what comes.
struct Keeping : Pair {
  explicit Keeping(EndOptions of_server = {}, EndOptions of_clients = {}, std::uint64_t seed = 1)
      : Pair(std::move(of_server), std::move(of_clients), seed) {
    serve(servers);
  }

  Keeper servers;
};

}  // namespace wiremark::net::sim
