// Echo server with a blocking thread for each connection: the baseline without any loop.
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "peers/peer.h"

namespace {

// The read buffer of 64 KiB, and as much again for everything else.
constexpr std::size_t kStackSize = 2 * peer::kReadSize;

bool send_all(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

void* echo(void* argument) {
  const int socket = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  char bytes[peer::kReadSize];
  for (;;) {
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || !send_all(socket, bytes, static_cast<std::size_t>(count))) break;
  }
  ::close(socket);
  return nullptr;
}

void serve(int listener) {
  if (::fcntl(listener, F_SETFL, ::fcntl(listener, F_GETFL) & ~O_NONBLOCK) != 0)
    peer::fail("fcntl");
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&detached, kStackSize);
  for (;;) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (socket < 0) peer::fail("accept4");
    peer::set_no_delay(socket);
    pthread_t thread;
    errno =
        pthread_create(&thread, &detached, echo, reinterpret_cast<void*>(std::intptr_t{socket}));
    if (errno != 0) peer::fail("pthread_create");
  }
}

}  // namespace

int main(int argc, char** argv) { peer::run(argc, argv, "POSIX threads", serve); }
