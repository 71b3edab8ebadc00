// Sends a line to each server that is named, and prints what comes back until all have closed or
// answered: c++ -std=c++23 client.cpp $(pkg-config --cflags --libs wiremark) -o client
#include <cstdio>
#include <cstring>

#include "net/reactor.h"

using namespace wiremark;

struct Client {
  Nanoseconds on_turn(Nanoseconds) { return left == 0 ? (stop.request(), kNever) : kNever; }
  void on_open(net::Conn& conn) { conn.append(as_bytes(std::string_view("hello\n"))); }
  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    const std::string_view text = as_text(bytes);
    if (!text.ends_with('\n')) return 0;  // It comes again, with more behind it.
    std::fwrite(text.data(), 1, text.size(), stdout);
    conn.finish();
    return text.size();
  }
  void on_close(net::Conn&, int error) {
    if (error != 0) std::fprintf(stderr, "connection: %s\n", std::strerror(error));
    --left;
  }

  net::Stop& stop;
  int left;
};

int main(int argc, char** argv) {
  net::Stop stop;
  Client client{stop, argc - 1};
  const auto ran = net::with_streams(net::Backend::epoll, {}, [&](auto& streams) -> Result<> {
    for (int i = 1; i < argc; ++i) {
      const auto address = net::Address::parse(argv[i]);
      if (!address) return std::unexpected(address.error());
      const auto conn = streams.connect(*address, {}, nullptr);
      if (!conn) return std::unexpected(conn.error());
    }
    return streams.run(client, stop);
  });
  if (!ran) std::fprintf(stderr, "%s\n", ran.error().message().c_str());
  return ran ? 0 : 1;
}
