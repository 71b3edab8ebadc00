// Echo server on asio, its epoll or, built with ASIO_HAS_IO_URING, its io_uring.
#include <array>
#include <asio.hpp>
#include <cerrno>
#include <utility>

#include "peers/peer.h"

namespace {

using asio::ip::tcp;

// The socket is bound to the loop's own executor, not to a type-erased one, and a handler holds no
// more than a pointer: asio then keeps the memory of its operations and allocates none per message.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

// Reads while nothing is unsent, so that a client that does not read is not read from. It belongs
// to the operation it waits for and ends with the first that fails.
class Session {
 public:
  explicit Session(Socket socket) : socket_(std::move(socket)) {}

  void read() {
    socket_.async_read_some(asio::buffer(bytes_),
                            [this](const asio::error_code& error, std::size_t count) {
                              if (error) return end();
                              write(count);
                            });
  }

 private:
  void write(std::size_t count) {
    asio::async_write(socket_, asio::buffer(bytes_.data(), count),
                      [this](const asio::error_code& error, std::size_t) {
                        if (error) return end();
                        read();
                      });
  }

  void end() { delete this; }

  Socket socket_;
  std::array<char, peer::kReadSize> bytes_;  // Left as it comes: no page is touched before a read.
};

void accept(Acceptor& acceptor) {
  acceptor.async_accept([&acceptor](const asio::error_code& error, Socket socket) {
    if (!error) {
      asio::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      (new Session(std::move(socket)))->read();
    } else if (error != asio::error::connection_aborted) {
      errno = error.value();
      peer::fail("accept");
    }
    accept(acceptor);
  });
}

void serve(int listener) {
  asio::io_context context(1);  // One thread: asio then leaves most of its locking out.
  Acceptor acceptor(context, tcp::v4(), listener);
  accept(acceptor);
  context.run();
}

std::string version() {
  return "asio " + std::to_string(ASIO_VERSION / 100000) + "." +
         std::to_string(ASIO_VERSION / 100 % 1000) + "." + std::to_string(ASIO_VERSION % 100);
}

}  // namespace

int main(int argc, char** argv) { peer::run(argc, argv, version(), serve); }
