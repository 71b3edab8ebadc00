// What a request costs its client at the least on epoll: system calls, and every byte compared.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peers/floor_client.h"
#include "peers/peer.h"

namespace {

using floor_client::Load;

constexpr int kEvents = 256;
// Between two looks at the clock.
constexpr int kWaitMs = 100;

struct Connection {
  int socket;
  std::size_t sent = 0;
  bool waits_for_room = false;
  std::vector<char> reply;
  std::size_t received = 0;
  std::size_t number = 0;  // Of its requests.
};

bool must_wait() { return errno == EAGAIN || errno == EINTR; }

void watch(int epoll, int operation, Connection& connection, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.ptr = &connection}};
  if (::epoll_ctl(epoll, operation, connection.socket, &event) != 0) peer::fail("epoll_ctl");
}

// A request that does not fit the socket is taken up again when there is room.
void send_request(const Load& load, int epoll, Connection& connection) {
  const std::size_t size = load.request.empty() ? load.reply_size : load.request.size();
  const ssize_t sent =
      ::send(connection.socket, floor_client::message(load, connection.number) + connection.sent,
             size - connection.sent, MSG_NOSIGNAL);
  if (sent < 0 && !must_wait()) peer::fail("send");
  connection.sent += sent < 0 ? 0 : static_cast<std::size_t>(sent);
  const bool is_full = connection.sent < size;
  if (!is_full) connection.sent = 0;
  if (is_full == connection.waits_for_room) return;
  connection.waits_for_room = is_full;
  watch(epoll, EPOLL_CTL_MOD, connection, is_full ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// Whether a reply is whole now.
bool receive(const Load& load, Connection& connection) {
  const ssize_t count = ::recv(connection.socket, connection.reply.data() + connection.received,
                               load.reply_size - connection.received, 0);
  if (count < 0 && must_wait()) return false;
  if (count == 0) errno = ECONNRESET;
  if (count <= 0) peer::fail("recv");
  connection.received += static_cast<std::size_t>(count);
  if (connection.received < load.reply_size) return false;
  connection.received = 0;
  floor_client::compare(load, connection.reply.data(), connection.number++, 0, load.reply_size);
  return true;
}

std::size_t drive(Load& load) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) peer::fail("epoll_create1");
  std::vector<Connection> connections;
  connections.reserve(load.sockets.size());
  for (const int socket : load.sockets) {
    Connection& made = connections.emplace_back(
        Connection{.socket = socket, .reply = std::vector<char>(load.reply_size)});
    watch(epoll, EPOLL_CTL_ADD, made, EPOLLIN);
    send_request(load, epoll, made);
  }
  const double end = floor_client::now_s() + load.seconds;
  std::size_t replies = 0;
  epoll_event events[kEvents];
  while (floor_client::now_s() < end) {
    const int count = ::epoll_wait(epoll, events, kEvents, kWaitMs);
    if (count < 0 && errno != EINTR) peer::fail("epoll_wait");
    for (int i = 0; i < count; ++i) {
      Connection& connection = *static_cast<Connection*>(events[i].data.ptr);
      if ((events[i].events & EPOLLOUT) != 0) send_request(load, epoll, connection);
      if ((events[i].events & ~EPOLLOUT) == 0 || !receive(load, connection)) continue;
      ++replies;
      send_request(load, epoll, connection);
    }
  }
  return replies;
}

}  // namespace

int main(int argc, char** argv) { return floor_client::run(argc, argv, drive); }
