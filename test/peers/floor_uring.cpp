// What a message costs at the least on io_uring: multishot receives into buffers that the kernel
// picks, one enter a turn, and nothing that a server is used for but to echo.
#include <liburing.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "peers/peer.h"

namespace {

constexpr unsigned kEntries = 4096;
constexpr unsigned kBuffers = 256;
constexpr unsigned kBufferSize = 16 * 1024;
constexpr int kGroup = 0;
constexpr int kNoBuffer = -1;

// The low bits of what a completion belongs to; the others are the connection.
enum Tag : std::uint64_t { kAccept, kReceive, kSend, kCancel, kTags };

struct Connection {
  int socket;
  int lent = kNoBuffer;     // The buffer that is being sent; else `out` is, if not empty.
  std::string_view unsent;  // Of what is being sent.
  bool receiving = true;
  bool over = false;          // The peer has sent all, or the connection is broken.
  std::vector<char> out;      // Being sent.
  std::vector<char> waiting;  // To be sent after that.
};

class Loop {
 public:
  explicit Loop(int listener) : listener_(listener) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    errno = -io_uring_queue_init_params(kEntries, &ring_, &params);
    if (errno != 0) peer::fail("io_uring_queue_init_params");
    const std::size_t size = kBuffers * sizeof(io_uring_buf);
    buffers_ = static_cast<io_uring_buf_ring*>(std::aligned_alloc(4096, size));
    io_uring_buf_reg reg{};
    reg.ring_addr = reinterpret_cast<std::uintptr_t>(buffers_);
    reg.ring_entries = kBuffers;
    reg.bgid = kGroup;
    errno = -io_uring_register_buf_ring(&ring_, &reg, 0);
    if (errno != 0) peer::fail("io_uring_register_buf_ring");
    io_uring_buf_ring_init(buffers_);
    for (int i = 0; i < static_cast<int>(kBuffers); ++i) give_back(i);
  }

  [[noreturn]] void run() {
    accept();
    for (;;) {
      const int error = io_uring_submit_and_wait(&ring_, 1);
      if (error < 0 && error != -EINTR) fail(error, "io_uring_submit_and_wait");
      io_uring_cqe* cqe;
      unsigned head, count = 0;
      io_uring_for_each_cqe(&ring_, head, cqe) {
        ++count;
        complete(*cqe);
      }
      io_uring_cq_advance(&ring_, count);
    }
  }

 private:
  [[noreturn]] static void fail(int result, const char* what) {
    errno = -result;
    peer::fail(what);
  }

  char* memory_of(int buffer) { return &memory_[static_cast<std::size_t>(buffer) * kBufferSize]; }

  void give_back(int buffer) {
    io_uring_buf_ring_add(buffers_, memory_of(buffer), kBufferSize,
                          static_cast<unsigned short>(buffer), io_uring_buf_ring_mask(kBuffers), 0);
    io_uring_buf_ring_advance(buffers_, 1);
  }

  static std::uint64_t data_of(const Connection* connection, Tag tag) {
    return reinterpret_cast<std::uintptr_t>(connection) | tag;
  }

  io_uring_sqe& entry() {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
    if (sqe != nullptr) return *sqe;
    io_uring_submit(&ring_);
    sqe = io_uring_get_sqe(&ring_);
    if (sqe == nullptr) fail(-EBUSY, "io_uring_get_sqe");
    return *sqe;
  }

  void accept() {
    io_uring_sqe& sqe = entry();
    io_uring_prep_multishot_accept(&sqe, listener_, nullptr, nullptr, SOCK_CLOEXEC);
    sqe.user_data = data_of(nullptr, kAccept);
  }

  void receive(Connection& connection) {
    connection.receiving = true;
    io_uring_sqe& sqe = entry();
    io_uring_prep_recv_multishot(&sqe, connection.socket, nullptr, 0, 0);
    sqe.flags |= IOSQE_BUFFER_SELECT;
    sqe.buf_group = kGroup;
    sqe.user_data = data_of(&connection, kReceive);
  }

  // MSG_WAITALL: the kernel goes on until all is sent, or until it is interrupted, as where the
  // process is frozen: then a part is sent.
  void send(Connection& connection, std::string_view bytes) {
    connection.unsent = bytes;
    io_uring_sqe& sqe = entry();
    io_uring_prep_send(&sqe, connection.socket, bytes.data(), bytes.size(),
                       MSG_NOSIGNAL | MSG_WAITALL);
    sqe.user_data = data_of(&connection, kSend);
  }

  void complete(const io_uring_cqe& cqe) {
    auto* const connection =
        reinterpret_cast<Connection*>(cqe.user_data & ~std::uint64_t{kTags - 1});
    switch (cqe.user_data & (kTags - 1)) {
      case kAccept:
        return accepted(cqe);
      case kReceive:
        return received(*connection, cqe);
      case kSend:
        return sent(*connection, cqe.res);
      default:
        return;
    }
  }

  void accepted(const io_uring_cqe& cqe) {
    if (cqe.res >= 0) {
      peer::set_no_delay(cqe.res);
      receive(*new Connection{.socket = cqe.res, .unsent = {}, .out = {}, .waiting = {}});
    } else if (cqe.res != -ECONNABORTED && cqe.res != -EINTR) {
      fail(cqe.res, "accept");
    }
    if (!(cqe.flags & IORING_CQE_F_MORE)) accept();
  }

  void received(Connection& connection, const io_uring_cqe& cqe) {
    if (cqe.flags & IORING_CQE_F_BUFFER) {
      const int buffer = static_cast<int>(cqe.flags >> IORING_CQE_BUFFER_SHIFT);
      const auto size = static_cast<std::size_t>(cqe.res);
      if (connection.over || cqe.res <= 0) {
        give_back(buffer);
      } else if (connection.unsent.empty()) {
        connection.lent = buffer;
        send(connection, {memory_of(buffer), size});
      } else {
        connection.waiting.insert(connection.waiting.end(), memory_of(buffer),
                                  memory_of(buffer) + size);
        give_back(buffer);
      }
    }
    const bool more = cqe.flags & IORING_CQE_F_MORE;
    const bool full = connection.waiting.size() > peer::kUnsentMax;
    if (more && full) {
      io_uring_sqe& sqe = entry();
      io_uring_prep_cancel64(&sqe, data_of(&connection, kReceive), 0);
      sqe.user_data = data_of(nullptr, kCancel);
    }
    if (more) return;
    connection.receiving = false;
    const bool goes_on =
        cqe.res > 0 || cqe.res == -ENOBUFS || cqe.res == -ECANCELED || cqe.res == -EINTR;
    connection.over |= !goes_on;
    if (!connection.over && !full) return receive(connection);
    end_if_done(connection);
  }

  void sent(Connection& connection, int result) {
    if (result > 0) connection.unsent.remove_prefix(static_cast<std::size_t>(result));
    const bool broken = result < 0 && result != -EINTR;
    if (!broken && !connection.unsent.empty()) return send(connection, connection.unsent);
    connection.unsent = {};
    if (connection.lent != kNoBuffer) give_back(connection.lent);
    connection.lent = kNoBuffer;
    if (broken) {
      connection.over = true;
      connection.waiting.clear();
      ::shutdown(connection.socket, SHUT_RDWR);  // Ends the receive.
    }
    if (connection.waiting.empty()) return end_if_done(connection);
    connection.out.clear();
    connection.out.swap(connection.waiting);
    send(connection, {connection.out.data(), connection.out.size()});
    if (!connection.receiving && !connection.over) receive(connection);
  }

  void end_if_done(Connection& connection) {
    if (!connection.over || !connection.unsent.empty() || connection.receiving) return;
    ::close(connection.socket);
    delete &connection;
  }

  io_uring ring_{};
  int listener_;
  io_uring_buf_ring* buffers_;
  std::unique_ptr<char[]> memory_ =
      std::make_unique_for_overwrite<char[]>(std::size_t{kBuffers} * kBufferSize);
};

void serve(int listener) { Loop(listener).run(); }

}  // namespace

int main(int argc, char** argv) { peer::run(argc, argv, "system calls: io_uring", serve); }
