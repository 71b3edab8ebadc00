// Echo server on libevent's bufferevents: buffered streams with callbacks.
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

#include "peers/peer.h"

namespace {

void on_event(bufferevent* stream, short what, void*) {
  const auto all_sent = [](bufferevent* ended, void*) { bufferevent_free(ended); };
  if ((what & BEV_EVENT_ERROR) != 0 || evbuffer_get_length(bufferevent_get_output(stream)) == 0) {
    bufferevent_free(stream);
  } else {  // The client sends no more, and still wants its answers.
    bufferevent_setcb(stream, nullptr, all_sent, on_event, nullptr);
  }
}

void on_read(bufferevent* stream, void*);

// All is sent: reads again, and wants to hear of reads only.
void on_sent(bufferevent* stream, void*) {
  bufferevent_setcb(stream, on_read, nullptr, on_event, nullptr);
  bufferevent_enable(stream, EV_READ);
}

void on_read(bufferevent* stream, void*) {
  evbuffer* output = bufferevent_get_output(stream);
  bufferevent_read_buffer(stream, output);  // Moves the blocks, copies nothing.
  if (evbuffer_get_length(output) < peer::kUnsentMax) return;
  bufferevent_disable(stream, EV_READ);
  bufferevent_setcb(stream, on_read, on_sent, on_event, nullptr);
}

void on_accept(evconnlistener* listener, evutil_socket_t socket, sockaddr*, int, void*) {
  peer::set_no_delay(socket);
  bufferevent* stream =
      bufferevent_socket_new(evconnlistener_get_base(listener), socket, BEV_OPT_CLOSE_ON_FREE);
  if (stream == nullptr) peer::fail("bufferevent_socket_new");
  // libevent 2.1 still reads at most 4 KiB at a time: its EVBUFFER_MAX_READ cannot be set.
  bufferevent_set_max_single_read(stream, peer::kReadSize);
  bufferevent_set_max_single_write(stream, peer::kReadSize);
  bufferevent_setcb(stream, on_read, nullptr, on_event, nullptr);
  bufferevent_enable(stream, EV_READ | EV_WRITE);
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
