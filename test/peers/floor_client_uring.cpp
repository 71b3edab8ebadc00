// What a request costs its client at the least on io_uring: a ring, and every byte compared.
#include <liburing.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "peers/floor_client.h"
#include "peers/peer.h"

namespace {

using floor_client::Load;

constexpr unsigned kEntries = 1024;
constexpr unsigned kBatch = 256;
// Between two looks at the clock.
constexpr __kernel_timespec kWait{.tv_sec = 0, .tv_nsec = 100'000'000};

struct Connection {
  int socket;
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t number = 0;  // Of its requests.
};

// What the kernel receives into, for all connections.
struct Buffers {
  static constexpr unsigned kCount = 256;
  static constexpr std::size_t kSize = 16 << 10;
  static constexpr int kGroup = 0;

  explicit Buffers(io_uring& of) {
    constexpr std::size_t kPage = 4096;
    ring =
        static_cast<io_uring_buf_ring*>(std::aligned_alloc(kPage, kCount * sizeof(io_uring_buf)));
    if (ring == nullptr) peer::fail("aligned_alloc");
    ::io_uring_buf_ring_init(ring);
    io_uring_buf_reg asked{};
    asked.ring_addr = reinterpret_cast<std::uintptr_t>(ring);
    asked.ring_entries = kCount;
    asked.bgid = kGroup;
    const int done = ::io_uring_register_buf_ring(&of, &asked, 0);
    errno = -done;
    if (done != 0) peer::fail("io_uring_register_buf_ring");
    for (unsigned i = 0; i < kCount; ++i) give_back(i);
  }
  Buffers(const Buffers&) = delete;
  ~Buffers() { std::free(ring); }
  char* at(unsigned id) { return bytes.data() + id * kSize; }
  void give_back(unsigned id) {
    ::io_uring_buf_ring_add(ring, at(id), kSize, static_cast<unsigned short>(id),
                            ::io_uring_buf_ring_mask(kCount), 0);
    ::io_uring_buf_ring_advance(ring, 1);
  }

  io_uring_buf_ring* ring;
  std::vector<char> bytes = std::vector<char>(kCount * kSize);
};

// The lowest bit of what a completion carries: of a send, or of a receive.
constexpr std::uintptr_t kSend = 1;

io_uring_sqe* next(io_uring& ring) {
  io_uring_sqe* sqe = ::io_uring_get_sqe(&ring);
  if (sqe == nullptr) {
    if (::io_uring_submit(&ring) < 0) peer::fail("io_uring_submit");
    sqe = ::io_uring_get_sqe(&ring);
  }
  return sqe;
}

std::size_t size_of_request(const Load& load) {
  return load.request.empty() ? load.reply_size : load.request.size();
}

void send_request(const Load& load, io_uring& ring, Connection& connection) {
  io_uring_sqe* const sqe = next(ring);
  ::io_uring_prep_send(sqe, connection.socket,
                       floor_client::message(load, connection.number) + connection.sent,
                       size_of_request(load) - connection.sent, MSG_NOSIGNAL);
  sqe->user_data = reinterpret_cast<std::uintptr_t>(&connection) | kSend;
}

void receive(io_uring& ring, Connection& connection) {
  io_uring_sqe* const sqe = next(ring);
  ::io_uring_prep_recv_multishot(sqe, connection.socket, nullptr, 0, 0);
  sqe->flags |= IOSQE_BUFFER_SELECT;
  sqe->buf_group = Buffers::kGroup;
  sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;  // The reply is hardly there before the request is.
  sqe->user_data = reinterpret_cast<std::uintptr_t>(&connection);
}

// How many replies are whole with these bytes: none or one.
unsigned take(const Load& load, io_uring& ring, Connection& connection, const char* bytes,
              std::size_t count) {
  if (connection.received + count > load.reply_size) {
    errno = EPROTO;
    peer::fail("more than a reply");
  }
  floor_client::compare(load, bytes, connection.number, connection.received, count);
  connection.received += count;
  if (connection.received < load.reply_size) return 0;
  ++connection.number;
  connection.received = connection.sent = 0;
  send_request(load, ring, connection);
  return 1;
}

unsigned complete(const Load& load, io_uring& ring, Buffers& buffers, const io_uring_cqe& cqe) {
  Connection& connection = *reinterpret_cast<Connection*>(cqe.user_data & ~kSend);
  const bool is_send = (cqe.user_data & kSend) != 0;
  if (cqe.res <= 0 && cqe.res != -ENOBUFS) {
    errno = cqe.res == 0 ? ECONNRESET : -cqe.res;
    peer::fail(is_send ? "send" : "recv");
  }
  if (is_send) {
    connection.sent += static_cast<std::size_t>(cqe.res);
    if (connection.sent < size_of_request(load)) send_request(load, ring, connection);
    return 0;
  }
  unsigned whole = 0;
  if (cqe.res > 0) {
    const unsigned id = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
    whole = take(load, ring, connection, buffers.at(id), static_cast<std::size_t>(cqe.res));
    buffers.give_back(id);
  }
  if ((cqe.flags & IORING_CQE_F_MORE) == 0) receive(ring, connection);
  return whole;
}

std::size_t drive(Load& load) {
  io_uring ring;
  io_uring_params how{};
  how.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  if (const int made = ::io_uring_queue_init_params(kEntries, &ring, &how); made < 0) {
    errno = -made;
    peer::fail("io_uring_setup");
  }
  Buffers buffers(ring);
  std::vector<Connection> connections;
  connections.reserve(load.sockets.size());
  for (const int socket : load.sockets) {
    Connection& made = connections.emplace_back(Connection{.socket = socket});
    send_request(load, ring, made);
    receive(ring, made);
  }
  const double end = floor_client::now_s() + load.seconds;
  std::size_t replies = 0;
  while (floor_client::now_s() < end) {
    io_uring_cqe* first = nullptr;
    __kernel_timespec wait = kWait;
    const int done = ::io_uring_submit_and_wait_timeout(&ring, &first, 1, &wait, nullptr);
    if (done < 0 && done != -ETIME && done != -EINTR) {
      errno = -done;
      peer::fail("io_uring_enter");
    }
    io_uring_cqe* cqes[kBatch];
    const unsigned count = ::io_uring_peek_batch_cqe(&ring, cqes, kBatch);
    for (unsigned i = 0; i < count; ++i) replies += complete(load, ring, buffers, *cqes[i]);
    ::io_uring_cq_advance(&ring, count);
  }
  return replies;
}

}  // namespace

int main(int argc, char** argv) { return floor_client::run(argc, argv, drive); }
