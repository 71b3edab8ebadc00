// Echo server on libevent's raw events: readiness from the library, system calls of its own.
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/listener.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "peers/peer.h"

namespace {

// Level-triggered, one read a turn into a buffer that the loop's connections share. While bytes are
// unsent it waits for room instead of reading. The event is part of the connection: libevent
// allocates nothing for it.
class Connection {
 public:
  Connection(event_base* base, int socket) : base_(base), socket_(socket) {
    wait_for(EV_READ, on_readable);
  }

  ~Connection() {
    event_del(&event_);
    ::close(socket_);
  }

 private:
  void wait_for(short what, event_callback_fn callback) {
    event_assign(&event_, base_, socket_, static_cast<short>(what | EV_PERSIST), callback, this);
    event_add(&event_, nullptr);
  }

  static void on_readable(evutil_socket_t, short, void* connection) {
    static_cast<Connection*>(connection)->read();
  }

  static void on_writable(evutil_socket_t, short, void* connection) {
    static_cast<Connection*>(connection)->write_rest();
  }

  static bool must_wait() { return errno == EAGAIN || errno == EINTR; }

  void read() {
    static thread_local char bytes[peer::kReadSize];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count < 0 && must_wait()) return;
    if (count <= 0) return end();
    const ssize_t sent = ::send(socket_, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
    if (sent == count) return;
    if (sent < 0 && !must_wait()) return end();
    rest_.assign(bytes + (sent < 0 ? 0 : sent), bytes + count);
    event_del(&event_);
    wait_for(EV_WRITE, on_writable);
  }

  void write_rest() {
    const ssize_t sent = ::send(socket_, rest_.data(), rest_.size(), MSG_NOSIGNAL);
    if (sent < 0 && must_wait()) return;
    if (sent < 0) return end();
    rest_.erase(rest_.begin(), rest_.begin() + sent);
    if (!rest_.empty()) return;
    event_del(&event_);
    wait_for(EV_READ, on_readable);
  }

  void end() { delete this; }

  event_base* base_;
  int socket_;
  event event_{};
  std::vector<char> rest_;
};

void on_accept(evconnlistener* listener, evutil_socket_t socket, sockaddr*, int, void*) {
  peer::set_no_delay(socket);
  new Connection(evconnlistener_get_base(listener), socket);
}

void on_accept_error(evconnlistener*, void*) { peer::fail("accept"); }

void serve(int socket) {
  event_base* base = event_base_new();
  evconnlistener* listener =
      base == nullptr ? nullptr : evconnlistener_new(base, on_accept, nullptr, 0, 0, socket);
  if (listener == nullptr) peer::fail("evconnlistener_new");
  evconnlistener_set_error_cb(listener, on_accept_error);
  event_base_dispatch(base);
}

}  // namespace

int main(int argc, char** argv) {
  peer::run(argc, argv, std::string("libevent ") + event_get_version(), serve);
}
