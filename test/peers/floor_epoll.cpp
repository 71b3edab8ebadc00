// What a message costs at the least on epoll: system calls and no library, a connection in a
// struct, and nothing that a server is used for but to echo.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peers/peer.h"

namespace {

constexpr int kEvents = 256;

struct Connection {
  int socket;
  std::vector<char> rest;  // Unsent. While there is any, nothing is read.
};

void watch(int epoll, int operation, Connection& connection, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.ptr = &connection}};
  if (::epoll_ctl(epoll, operation, connection.socket, &event) != 0) peer::fail("epoll_ctl");
}

void accept_one(int epoll, int listener) {
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) {
    if (errno == EAGAIN || errno == ECONNABORTED) return;
    peer::fail("accept4");
  }
  peer::set_no_delay(socket);
  watch(epoll, EPOLL_CTL_ADD, *new Connection{socket, {}}, EPOLLIN);
}

bool must_wait() { return errno == EAGAIN || errno == EINTR; }

// These two return false when the connection is over.
bool echo(int epoll, Connection& connection) {
  static thread_local char bytes[peer::kReadSize];
  const ssize_t count = ::recv(connection.socket, bytes, sizeof bytes, 0);
  if (count <= 0) return count < 0 && must_wait();
  const ssize_t sent =
      ::send(connection.socket, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
  if (sent == count) return true;
  if (sent < 0 && !must_wait()) return false;
  connection.rest.assign(bytes + (sent < 0 ? 0 : sent), bytes + count);
  watch(epoll, EPOLL_CTL_MOD, connection, EPOLLOUT);
  return true;
}

bool send_rest(int epoll, Connection& connection) {
  std::vector<char>& rest = connection.rest;
  const ssize_t sent = ::send(connection.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent < 0) return must_wait();
  rest.erase(rest.begin(), rest.begin() + sent);
  if (rest.empty()) watch(epoll, EPOLL_CTL_MOD, connection, EPOLLIN);
  return true;
}

void serve(int listener) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) peer::fail("epoll_create1");
  epoll_event of_listener{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &of_listener) != 0) peer::fail("epoll_ctl");
  epoll_event events[kEvents];
  for (;;) {
    const int count = ::epoll_wait(epoll, events, kEvents, -1);
    if (count < 0 && errno != EINTR) peer::fail("epoll_wait");
    for (int i = 0; i < count; ++i) {
      auto* const connection = static_cast<Connection*>(events[i].data.ptr);
      if (connection == nullptr) {
        accept_one(epoll, listener);
        continue;
      }
      const bool lives =
          connection->rest.empty() ? echo(epoll, *connection) : send_rest(epoll, *connection);
      if (lives) continue;
      ::close(connection->socket);
      delete connection;
    }
  }
}

}  // namespace

int main(int argc, char** argv) { peer::run(argc, argv, "system calls: epoll", serve); }
