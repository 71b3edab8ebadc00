// What this kernel and its filters allow of io_uring: each operation and flag is tried once.
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "probe/evidence.h"
#include "probe/finding.h"
#include "probe/loopback.h"
#include "probe/small_ring.h"
#include "probe/uring_names.h"

namespace wiremark::probe {

namespace {

constexpr unsigned kReactorFlags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                   IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL;

io_uring_sqe operation(unsigned char code, int fd, const void* where = nullptr,
                       std::size_t size = 0) {
  io_uring_sqe entry{};
  entry.opcode = code;
  entry.fd = fd;
  entry.addr = reinterpret_cast<std::uintptr_t>(where);
  entry.len = static_cast<unsigned>(size);
  return entry;
}

// What came of one operation: 0 or more, or -errno.
int result_of(SmallRing& ring, const io_uring_sqe& entry) {
  if (auto done = ring.submit(entry); !done) return -done.error().code;
  const auto completion = ring.wait();
  return completion ? completion->res : -ETIME;
}

Finding refused(const std::string& what, const Error& error) {
  if (const auto denial = uring_denial(error.code)) {
    return {kUringGroup, what, Answer::no,
            failure(error.operation, error.code) + " (" + denial->why + ")", denial->change};
  }
  const char* change = error.code == ENOMEM   ? "ulimit -l unlimited"
                       : error.code == ENOSYS ? "Linux 6.1 with CONFIG_IO_URING"
                                              : "";
  return {kUringGroup, what, Answer::no, failure(error.operation, error.code), change};
}

// A ring with some flags, and whether an operation that does nothing completes on it: one set up
// with NO_SQARRAY by code that knows nothing of it accepts 20 and completes none. `since` is the
// first kernel that knows the flags.
Finding try_flags(const std::string& what, unsigned flags, const char* since) {
  auto ring = SmallRing::open(flags);
  if (!ring) {
    Finding finding = refused(what, ring.error());
    if (ring.error().code == EINVAL) finding.change = since;
    return finding;
  }
  const int status = result_of(*ring, operation(IORING_OP_NOP, -1));
  if (status < 0) return {kUringGroup, what, Answer::no, failure("NOP on this ring", -status), ""};
  return {kUringGroup, what, Answer::yes, "set up, and a NOP completed", ""};
}

// Those that our reactor submits, as the kernel lists them.
Finding list_operations(const SmallRing& ring) {
  constexpr std::pair<unsigned, const char*> kNeeded[] = {
      {IORING_OP_ACCEPT, "ACCEPT"},   {IORING_OP_CONNECT, "CONNECT"},
      {IORING_OP_RECV, "RECV"},       {IORING_OP_SEND, "SEND"},
      {IORING_OP_RECVMSG, "RECVMSG"}, {IORING_OP_SENDMSG, "SENDMSG"},
      {IORING_OP_CLOSE, "CLOSE"},     {IORING_OP_ASYNC_CANCEL, "ASYNC_CANCEL"},
      {IORING_OP_SEND_ZC, "SEND_ZC"}};
  constexpr unsigned kMost = 256;
  const std::size_t size = sizeof(io_uring_probe) + kMost * sizeof(io_uring_probe_op);
  const auto memory = std::make_unique<std::uint64_t[]>(size / sizeof(std::uint64_t) + 1);
  auto* list = reinterpret_cast<io_uring_probe*>(memory.get());
  if (::syscall(__NR_io_uring_register, ring.fd(), IORING_REGISTER_PROBE, list, kMost) < 0) {
    return {kUringGroup, "operations", Answer::no, failure("REGISTER_PROBE", errno),
            "a newer kernel, or a filter that allows io_uring_register"};
  }
  std::string missing;
  for (const auto& [code, name] : kNeeded) {
    if (code > list->last_op || !(list->ops[code].flags & IO_URING_OP_SUPPORTED))
      missing += std::string(missing.empty() ? "" : ", ") + name;
  }
  if (!missing.empty())
    return {kUringGroup, "operations", Answer::no, "missing: " + missing, "Linux 6.1"};
  return {kUringGroup, "operations", Answer::yes,
          std::to_string(list->last_op + 1) + " known, all that netload uses among them", ""};
}

// A multishot receive into buffers that the kernel picks, fed by a send of the same ring.
Finding try_receive(SmallRing& ring, const Loopback& pair, const char* what, unsigned flags) {
  constexpr std::size_t kPage = 4096;
  constexpr unsigned short kGroupId = 7;
  const Finding no{kUringGroup, what, Answer::no, "", "a newer kernel"};
  const auto fails = [&no](const char* call, int error) {
    Finding finding = no;
    finding.evidence = failure(call, error);
    return finding;
  };
  void* memory = ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return fails("mmap", errno);
  const std::unique_ptr<void, void (*)(void*)> owner(memory,
                                                     [](void* at) { ::munmap(at, 2 * kPage); });
  auto* buffers = static_cast<io_uring_buf_ring*>(memory);
  io_uring_buf_reg group{};
  group.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
  group.ring_entries = 1;
  group.bgid = kGroupId;
  if (::syscall(__NR_io_uring_register, ring.fd(), IORING_REGISTER_PBUF_RING, &group, 1) < 0)
    return fails("REGISTER_PBUF_RING", errno);
  auto* buffer = reinterpret_cast<io_uring_buf*>(memory);
  buffer->addr = reinterpret_cast<std::uintptr_t>(static_cast<char*>(memory) + kPage);
  buffer->len = kPage;
  buffer->bid = 0;
  __atomic_store_n(&buffers->tail, 1, __ATOMIC_RELEASE);
  const int sent = static_cast<int>(::send(pair.client.get(), "x", 1, MSG_NOSIGNAL));
  io_uring_sqe receive = operation(IORING_OP_RECV, pair.server.get());
  receive.flags = IOSQE_BUFFER_SELECT;
  receive.buf_group = kGroupId;
  receive.ioprio = static_cast<unsigned short>(IORING_RECV_MULTISHOT | flags);
  const int got = sent == 1 ? result_of(ring, receive) : -EPIPE;
  ::syscall(__NR_io_uring_register, ring.fd(), IORING_UNREGISTER_PBUF_RING, &group, 1);
  if (got < 0) return fails("RECV", -got);
  return {kUringGroup, what, Answer::yes, "a byte came in a buffer that the kernel picked", ""};
}

Finding try_send_zero_copy(SmallRing& ring, const Loopback& pair) {
  constexpr const char* kWhat = "SEND_ZC saves the copy";
  constexpr unsigned kSends = 4;
  static std::array<char, 16384> bytes;
  unsigned notified = 0, copied = 0;
  for (unsigned sends = 0; sends < kSends; ++sends) {
    io_uring_sqe send = operation(IORING_OP_SEND_ZC, pair.client.get(), bytes.data(), bytes.size());
    send.ioprio = kReportUsage;
    send.msg_flags = MSG_NOSIGNAL;
    if (const int sent = result_of(ring, send); sent < 0)
      return {kUringGroup, kWhat, Answer::no, failure("SEND_ZC", -sent), "Linux 6.2"};
    // The notification comes when the receiver has the bytes.
    std::array<char, bytes.size()> into;
    if (::recv(pair.server.get(), into.data(), into.size(), MSG_WAITALL) <= 0)
      return {kUringGroup, kWhat, Answer::untried, failure("recv", errno), ""};
    const auto notification = ring.wait();
    if (!notification || !(notification->flags & IORING_CQE_F_NOTIF)) continue;
    ++notified;
    copied += static_cast<unsigned>(notification->res) & kUsageCopied ? 1 : 0;
  }
  if (notified == 0)
    return {kUringGroup, kWhat, Answer::untried, "no notification came in a second", ""};
  return {kUringGroup, kWhat, copied == notified ? Answer::no_effect : Answer::yes,
          "over loopback " + copied_evidence(notified, copied), "a network card, and no loopback"};
}

Finding try_napi(const SmallRing& ring, const Loopback& pair) {
  constexpr const char* kWhat = "REGISTER_NAPI polls";
  if (const int status = register_napi(ring.fd(), 50 * kMicrosecond); status < 0)
    return {kUringGroup, kWhat, Answer::no, failure("REGISTER_NAPI", -status), "Linux 6.9"};
  const unsigned id = napi_id(pair.server.get());
  return {kUringGroup, kWhat, id > 0 ? Answer::yes : Answer::no_effect, napi_evidence(id),
          id > 0 ? "" : "a network card with NAPI, and no loopback"};
}

Finding of_feature(const SmallRing& ring, const char* what, unsigned feature, const char* since) {
  const bool has = ring.features() & feature;
  return {kUringGroup, what, has ? Answer::yes : Answer::no,
          has ? "in the features that io_uring_setup returned"
              : "not in the features that io_uring_setup returned",
          has ? "" : since};
}

}  // namespace

Findings probe_uring() {
  Findings found;
  if (auto ring = SmallRing::open(0); !ring) {
    found.push_back(refused("io_uring", ring.error()));
    return found;
  }
  found.push_back(try_flags("io_uring", 0, "Linux 5.1"));
  found.push_back(try_flags(kReactorRing, kReactorFlags, "Linux 6.1"));
  found.push_back(try_flags("SQPOLL", IORING_SETUP_SQPOLL, "Linux 5.1"));
  // Each trial of a receive leaves one armed, and so has a ring of its own.
  auto ring = SmallRing::open(kReactorFlags);
  auto other = SmallRing::open(kReactorFlags);
  const auto pair = connect_streams();
  const auto next = connect_streams();
  const auto last = connect_streams();
  if (!ring || !other || !pair || !next || !last) return found;
  found.push_back(list_operations(*ring));
  found.push_back(try_send_zero_copy(*ring, *pair));
  found.push_back(try_napi(*ring, *pair));
  found.push_back(try_receive(*ring, *next, "multishot receive", 0));
  found.push_back(try_receive(*other, *last, "receive bundles", kReceiveBundle));
  found.push_back(of_feature(*ring, "min-wait", kFeatMinTimeout, "Linux 6.12"));
  return found;
}

}  // namespace wiremark::probe
