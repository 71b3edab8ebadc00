// Datagrams of a simulated network: lost, doubled, out of order, and dropped by a full socket.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/datagram.h"
#include "net/sim/end.h"
#include "net/socket.h"

namespace wiremark::net::sim {

class DatagramEnd;

/// A socket: bound, or connected as handlers know it.
struct DatagramSocket : DatagramConn {
  struct Arrived {
    std::vector<std::byte> bytes;
    std::string from;
    Nanoseconds at;
  };

  DatagramEnd* end = nullptr;
  std::uint64_t number = 0;
  std::string own;
  std::string peer;  // Empty where it is bound.
  std::deque<Arrived> arrived;
  int error = 0;
  bool ready = false;
};

/// The reactor of one end; it must outlive the run of the network.
class DatagramEnd : public End {
 public:
  /// The socket of each address; all ends of a network share one such map.
  using Sockets = std::map<std::string, DatagramSocket*>;

  DatagramEnd(Network& network, Sockets& sockets, EndOptions options)
      : End(network, std::move(options)), sockets_(sockets) {}

  Result<Address> bind(const Address& at, const ListenOptions& options);
  Result<DatagramConn*> connect(const Address& to, const ConnectOptions& options, void* user);
  int send(DatagramConn& conn, Bytes head, Bytes body);
  std::uint64_t datagrams_dropped() const noexcept { return dropped_; }
  std::size_t connections() const noexcept { return own_.size(); }
  template <class F>
  void for_each(F&& visit) {
    for (const auto& socket : own_) visit(static_cast<DatagramConn&>(*socket));
  }

  /// Gives the loop its handler; it begins when the network runs.
  template <class H>
    requires DatagramServer<H> || DatagramClient<H>
  void serve(H& handler);

 private:
  // Reads of one socket in a turn, so that none starves the others.
  static constexpr int kReadsPerTurn = 128;

  bool deliver() override;
  bool has_work() const override { return !ready_.empty(); }
  bool serve_one(DatagramSocket& socket);
  DatagramSocket& open(std::string own, std::string peer);
  void send(DatagramSocket& from, const std::string& to, std::vector<std::byte> bytes);
  void arrive(DatagramSocket& from, const std::string& to, std::vector<std::byte> bytes);
  void make_ready(DatagramSocket& socket);

  Sockets& sockets_;
  std::vector<std::unique_ptr<DatagramSocket>> own_;
  ReadyQueue<DatagramSocket> ready_;
  std::uint64_t dropped_ = 0;
  std::function<std::optional<Bytes>(Bytes)> answer_;
  std::function<void(DatagramConn&, Bytes)> on_datagram_;
  std::function<void(DatagramConn&, int)> on_error_;
};

template <class H>
  requires DatagramServer<H> || DatagramClient<H>
void DatagramEnd::serve(H& handler) {
  if constexpr (DatagramServer<H>) {
    answer_ = [&handler](Bytes bytes) { return handler.on_datagram(bytes); };
  }
  if constexpr (DatagramClient<H>) {
    on_datagram_ = [&handler](DatagramConn& conn, Bytes bytes) {
      handler.on_datagram(conn, bytes);
    };
    on_error_ = [&handler](DatagramConn& conn, int error) {
      handler.on_datagram_error(conn, error);
    };
  }
  begin([&handler](Nanoseconds now) { return handler.on_turn(now); });
}

}  // namespace wiremark::net::sim
