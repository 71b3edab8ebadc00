// Sends a line and prints the answer:
// c++ -std=c++23 client.cpp $(pkg-config --cflags --libs wiremark) -o client
#include <cstdio>

#include "net/reactor.h"

using namespace wiremark;

struct Client {
  Nanoseconds on_turn(Nanoseconds) { return kNever; }
  void on_open(net::Conn& conn) { conn.append(as_bytes(std::string_view("hello\n"))); }
  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    if (!as_text(bytes).ends_with('\n')) return 0;  // It comes again, with more behind it.
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    conn.finish();
    return bytes.size();
  }
  void on_close(net::Conn&, int code) { error = code, stop.request(); }
  net::Stop stop;
  int error = 0;
};

int main(int, char** argv) {
  Client client;
  auto ran = net::with_streams(net::Backend::epoll, {}, [&](auto& streams) -> Result<> {
    const auto conn = streams.connect(net::Address::parse(argv[1]).value(), {}, nullptr);
    return conn ? streams.run(client, client.stop) : std::unexpected(conn.error());
  });
  if (ran && client.error != 0) ran = failed(argv[1], {}, client.error);
  if (!ran) std::fprintf(stderr, "%s\n", ran.error().message().c_str());
  return ran ? 0 : 1;
}
