// What both floors of a load generator share: what they ask, for how long, and their connections.
#include "peers/floor_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "peers/peer.h"

namespace floor_client {

namespace {

// A message begins this far behind the one before it in the bytes that all are taken from, and
// there are as many beginnings.
constexpr std::size_t kStep = 7;
constexpr std::size_t kBeginnings = 64;

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr, "usage: %s PORT CONNECTIONS REPLY_SIZE SECONDS [REQUEST]\n", program);
  std::exit(2);
}

std::size_t number(const char* program, std::string_view text) {
  std::size_t read = 0;
  const auto end = text.data() + text.size();
  const auto done = std::from_chars(text.data(), end, read);
  if (done.ec != std::errc{} || done.ptr != end || read == 0) usage(program);
  return read;
}

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) peer::fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    peer::fail("connect");
  peer::set_no_delay(socket);
  if (::fcntl(socket, F_SETFL, O_NONBLOCK) != 0) peer::fail("fcntl");
  return socket;
}

std::vector<char> make_bytes(std::size_t size) {
  std::vector<char> bytes(size + kStep * kBeginnings);
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1'664'525 + 1'013'904'223;  // Numerical Recipes' generator.
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

}  // namespace

const char* message(const Load& load, std::size_t number) {
  if (!load.request.empty()) return load.request.data();
  static const std::vector<char> bytes = make_bytes(load.reply_size);
  return bytes.data() + number % kBeginnings * kStep;
}

void compare(const Load& load, const char* bytes, std::size_t number, std::size_t from,
             std::size_t count) {
  if (!load.request.empty() || std::memcmp(bytes, message(load, number) + from, count) == 0) return;
  std::fprintf(stderr, "reply %zu is not the message that was sent\n", number);
  std::exit(3);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int run(int argc, char** argv, Drive drive) {
  if (argc != 5 && argc != 6) usage(argv[0]);
  Load load;
  const auto port = static_cast<std::uint16_t>(number(argv[0], argv[1]));
  const std::size_t connections = number(argv[0], argv[2]);
  load.reply_size = number(argv[0], argv[3]);
  load.seconds = static_cast<double>(number(argv[0], argv[4]));
  if (argc == 6) load.request = argv[5];
  for (std::size_t i = 0; i < connections; ++i) load.sockets.push_back(connect_to(port));
  std::printf("%zu\n", drive(load));
  return 0;
}

}  // namespace floor_client
