// An echo server: c++ -std=c++23 echo.cpp $(pkg-config --cflags --libs wiremark) -o echo
#include "net/serve.h"

int main(int, char** argv) {
  const auto ran = wiremark::net::serve(argv[1], [](wiremark::net::Conn& conn, auto bytes) {
    conn.lend(bytes);
    return bytes.size();
  });
  return ran ? 0 : 1;
}
