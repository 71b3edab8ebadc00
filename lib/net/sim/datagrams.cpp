// Datagrams of a simulated network: lost, doubled, out of order, and dropped by a full socket.
#include "net/sim/datagrams.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/concepts.h"

namespace wiremark::net::sim {

static_assert(Datagrams<DatagramEnd>);

DatagramSocket& DatagramEnd::open(std::string own, std::string peer) {
  DatagramSocket& socket = *own_.emplace_back(std::make_unique<DatagramSocket>());
  socket.end = this;
  socket.number = network_.next_number();
  socket.own = own.empty() ? "client " + std::to_string(socket.number) : std::move(own);
  socket.peer = std::move(peer);
  sockets_[socket.own] = &socket;
  return socket;
}

Result<Address> DatagramEnd::bind(const Address& at, const ListenOptions&) {
  if (sockets_.contains(at.to_string())) return failed("bind", at.to_string(), EADDRINUSE);
  open(at.to_string(), {});
  return at;
}

Result<DatagramConn*> DatagramEnd::connect(const Address& to, const ConnectOptions&, void* user) {
  DatagramSocket& socket = open({}, to.to_string());
  socket.user = user;
  see({Seen::What::opened, false, socket.number, user, 0, {}, now(), 0});
  return &socket;
}

int DatagramEnd::send(DatagramConn& conn, Bytes head, Bytes body) {
  auto& socket = static_cast<DatagramSocket&>(conn);
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
  send(socket, socket.peer, std::move(bytes));
  return 0;
}

void DatagramEnd::send(DatagramSocket& from, const std::string& to, std::vector<std::byte> bytes) {
  see({Seen::What::sent, from.peer.empty(), from.number, from.user, bytes.size(), bytes, now(), 0});
  spend(options_.send_cost);
  stats_.datagrams_out.add();
  stats_.bytes_out.add(bytes.size());
  const Path& path = options_.path;
  if (network_.chance(path.loss)) return;
  for (int copies = network_.chance(path.duplication) ? 2 : 1; copies > 0; --copies) {
    Nanoseconds at = network_.arrival(path, bytes.size(), now(), path_busy_until_);
    if (network_.chance(path.reordering))
      at += static_cast<Nanoseconds>(network_.share() * static_cast<double>(path.detour));
    network_.at(at,
                [this, &from, to, copy = bytes]() mutable { arrive(from, to, std::move(copy)); });
  }
}

// If nobody is bound to the address, the sender is told so (ICMP port unreachable).
void DatagramEnd::arrive(DatagramSocket& from, const std::string& to,
                         std::vector<std::byte> bytes) {
  const auto found = sockets_.find(to);
  if (found == sockets_.end()) {
    const Nanoseconds back = network_.arrival(options_.path, 0, network_.now(), path_busy_until_);
    return network_.at(back, [&from] {
      from.error = ECONNREFUSED;
      from.end->make_ready(from);
    });
  }
  DatagramSocket& socket = *found->second;
  DatagramEnd& end = *socket.end;
  if (socket.arrived.size() >= end.options_.datagram_queue) {
    ++end.dropped_;
    return;
  }
  socket.arrived.push_back({std::move(bytes), from.own, network_.now()});
  end.make_ready(socket);
}

void DatagramEnd::make_ready(DatagramSocket& socket) {
  ready_.add(socket);
  wake();
}

bool DatagramEnd::deliver() {
  ready_.serve(options_.events_per_turn, [this](DatagramSocket& one) { return serve_one(one); });
  return ready_.empty();
}

bool DatagramEnd::serve_one(DatagramSocket& socket) {
  if (const int error = std::exchange(socket.error, 0); error != 0 && on_error_)
    on_error_(socket, error);
  for (int reads = 0; !socket.arrived.empty(); ++reads) {
    if (reads == kReadsPerTurn) return true;
    const DatagramSocket::Arrived arrived = std::move(socket.arrived.front());
    socket.arrived.pop_front();
    spend(options_.delivery_cost);
    stats_.datagrams_in.add();
    stats_.bytes_in.add(arrived.bytes.size());
    const bool bound = socket.peer.empty();
    see({Seen::What::read, bound, socket.number, socket.user, arrived.bytes.size(), arrived.bytes,
         now(), arrived.at});
    if (!bound) {
      on_datagram_(socket, arrived.bytes);
    } else if (const auto reply = answer_(arrived.bytes)) {
      send(socket, arrived.from, {reply->begin(), reply->end()});
    }
  }
  return false;
}

}  // namespace wiremark::net::sim
