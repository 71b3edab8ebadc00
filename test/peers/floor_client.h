// What both floors of a load generator share: what they ask, for how long, and their connections.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace floor_client {

/// A closed loop: every connection has one request in flight, and the next goes out with its reply.
struct Load {
  std::vector<int> sockets;  ///< Connected and non-blocking.
  std::size_t reply_size = 0;
  double seconds = 0;
  std::string request;  ///< The same each time; empty: messages that an echo server sends back.
};

/// Bytes of an echoed message, other ones than those of the message before.
const char* message(const Load& load, std::size_t number);

/// Ends the process with 3 where `count` bytes of a reply, `from` bytes behind its begin, are not
/// those of the message that it echoes.
void compare(const Load& load, const char* bytes, std::size_t number, std::size_t from,
             std::size_t count);

/// Sends the load for its time and returns how many replies were whole.
using Drive = std::size_t (*)(Load& load);

/// Reads `PORT CONNECTIONS REPLY_SIZE SECONDS [REQUEST]`, connects to 127.0.0.1, drives the load
/// and prints the number of replies. Exits with 2 on a wrong command line, with 3 where a system
/// call fails, a connection ends, or a reply is wrong.
int run(int argc, char** argv, Drive drive);

/// Seconds of a clock that only goes forward.
double now_s();

}  // namespace floor_client
