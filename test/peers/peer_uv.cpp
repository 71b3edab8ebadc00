// Echo server on libuv: streams whose answers are first tried at once.
#include <uv.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "peers/peer.h"

namespace {

// What could not be sent at once; it lives until the loop has sent it, or the connection is over.
struct Rest {
  uv_write_t request;
  std::vector<char> bytes;
};

uv_stream_t* stream_of(uv_tcp_t* tcp) { return reinterpret_cast<uv_stream_t*>(tcp); }

void end(uv_stream_t* stream) {
  auto* handle = reinterpret_cast<uv_handle_t*>(stream);
  if (uv_is_closing(handle)) return;
  uv_close(handle, [](uv_handle_t* closed) { delete reinterpret_cast<uv_tcp_t*>(closed); });
}

// One buffer for all connections of a loop: libuv hands it to on_read before it asks again.
void give_buffer(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
  static thread_local char bytes[peer::kReadSize];
  *buffer = uv_buf_init(bytes, sizeof bytes);
}

void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer);

void on_rest_sent(uv_write_t* request, int status) {
  uv_stream_t* stream = request->handle;
  delete static_cast<Rest*>(request->data);
  if (status < 0) return end(stream);
  uv_read_start(stream, give_buffer, on_read);
}

// Reads again when the rest is sent: a client that does not read is not read from.
void send_rest(uv_stream_t* stream, const char* from, const char* until) {
  auto* rest = new Rest{{}, {from, until}};
  rest->request.data = rest;
  const uv_buf_t bytes = uv_buf_init(rest->bytes.data(), static_cast<unsigned>(rest->bytes.size()));
  uv_read_stop(stream);
  if (uv_write(&rest->request, stream, &bytes, 1, on_rest_sent) == 0) return;
  delete rest;
  end(stream);
}

void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
  if (count == 0) return;  // EAGAIN
  if (count < 0) return end(stream);
  const uv_buf_t bytes = uv_buf_init(buffer->base, static_cast<unsigned>(count));
  const int sent = uv_try_write(stream, &bytes, 1);
  if (sent == count) return;
  if (sent < 0 && sent != UV_EAGAIN) return end(stream);
  send_rest(stream, bytes.base + std::max(sent, 0), bytes.base + count);
}

void on_accept(uv_stream_t* listener, int status) {
  if (status < 0) {
    errno = -status;
    peer::fail("accept");
  }
  auto* tcp = new uv_tcp_t;
  uv_tcp_init(listener->loop, tcp);
  if (uv_accept(listener, stream_of(tcp)) != 0) return end(stream_of(tcp));
  uv_tcp_nodelay(tcp, 1);
  uv_read_start(stream_of(tcp), give_buffer, on_read);
}

void serve(int socket) {
  uv_loop_t loop;
  uv_tcp_t listener;
  uv_loop_init(&loop);
  uv_tcp_init(&loop, &listener);
  if (uv_tcp_open(&listener, socket) != 0) peer::fail("uv_tcp_open");
  if (uv_listen(stream_of(&listener), 4096, on_accept) != 0) peer::fail("uv_listen");
  uv_run(&loop, UV_RUN_DEFAULT);
}

}  // namespace

int main(int argc, char** argv) {
  peer::run(argc, argv, std::string("libuv ") + uv_version_string(), serve);
}
