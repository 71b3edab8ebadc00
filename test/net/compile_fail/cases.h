// What the cases that must not compile share: handlers that would.
#pragma once

#include <optional>

#include "net/reactor.h"

using namespace wiremark;
using namespace wiremark::net;

struct Streaming {
  void on_open(Conn&) {}
  std::size_t on_data(Conn&, Bytes bytes) { return bytes.size(); }
  void on_close(Conn&, int) {}
  Nanoseconds on_turn(Nanoseconds) { return kNever; }
};

struct Datagramming {
  void on_datagram(DatagramConn&, Bytes) {}
  void on_datagram_error(DatagramConn&, int) {}
  Nanoseconds on_turn(Nanoseconds) { return kNever; }
};
