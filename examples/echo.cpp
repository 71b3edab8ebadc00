// An echo server: c++ -std=c++23 echo.cpp $(pkg-config --cflags --libs wiremark) -o echo
#include "net/reactor.h"

using namespace wiremark;

struct Echo {
  Nanoseconds on_turn(Nanoseconds) { return kNever; }
  void on_open(net::Conn&) {}
  std::size_t on_data(net::Conn& conn, Bytes bytes) { return conn.lend(bytes), bytes.size(); }
  void on_close(net::Conn&, int) {}
};

int main(int, char** argv) {
  Echo echo;
  const net::Stop stop;
  const net::Address address = net::Address::parse(argv[1]).value();
  const auto ran = net::with_streams(net::Backend::epoll, {}, [&](auto& streams) -> Result<> {
    const auto bound = streams.listen(address, {});
    return bound ? streams.run(echo, stop) : std::unexpected(bound.error());
  });
  return ran ? 0 : 1;
}
