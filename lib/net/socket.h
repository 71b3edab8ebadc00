// Stream and datagram sockets, set up: ones that listen, and ones that connect.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/address.h"

namespace wiremark::net {

struct SocketOptions {
  int send_buffer = 0;     ///< SO_SNDBUF in bytes; 0 leaves the kernel's choice (tcp_wmem).
  int receive_buffer = 0;  ///< SO_RCVBUF in bytes; 0 leaves the kernel's choice (tcp_rmem).
};

/// When the kernel asks whether a silent TCP peer is still there, and gives it up (tcp(7)).
struct KeepAlive {
  int idle_s = 60;      ///< TCP_KEEPIDLE: silence before the first probe.
  int interval_s = 10;  ///< TCP_KEEPINTVL: from one probe to the next.
  int probes = 6;       ///< TCP_KEEPCNT: this many without an answer end it with ETIMEDOUT.
};

struct ListenOptions : SocketOptions {
  int backlog = 4096;  ///< Cut by the kernel to net.core.somaxconn (listen(2)).
  /// Of accepted sockets, unless the address is a loopback one: two minutes until a vanished peer
  /// is noticed.
  KeepAlive keep_alive;
  bool share_port = false;  ///< SO_REUSEPORT: one listener per thread, connections spread by hash.
  int listener =
      -1;  ///< Listens on the address already, and is shared: a Unix path has no other way.
};

struct ConnectOptions : SocketOptions {
  const Address* from = nullptr;  ///< The source host; null: the route decides.
};

// Each of these four fails with EPROTOTYPE for UDP where streams are meant, and the reverse.

/// A non-blocking socket that listens; accepted sockets inherit TCP_NODELAY, the buffer sizes and
/// the probes of keep_alive (tcp(7)). Waits up to 500 ms while the address is still held by a ring
/// that is being torn down. A Unix path left by a dead process is taken over. Errors: socket,
/// setsockopt, bind, listen.
Result<Fd> listen_on(const Address& address, const ListenOptions& options = {});

/// A bound, non-blocking UDP socket. It reports how many hops each datagram has left, and, where it
/// is bound to all addresses, the one that the datagram was sent to. Waits as listen_on() does.
Result<Fd> bind_on(const Address& address, const ListenOptions& options = {});

/// A non-blocking, not yet connected socket for `to`, with TCP_NODELAY where that is TCP. Its port
/// is picked by connect(2) (ip(7): IP_BIND_ADDRESS_NO_PORT).
Result<Fd> socket_for(const Address& to, const ConnectOptions& options = {});

/// A non-blocking UDP socket, connected to `to`; that never takes time.
Result<Fd> datagram_socket_for(const Address& to, const ConnectOptions& options = {});

/// Fails with EADDRINUSE when somebody listens on `address` already. Binding with SO_REUSEPORT
/// would not notice another program of the same user that shares the port.
Result<> require_free(const Address& address);

/// Where a server of that text listens: at all that Address::resolve() finds. An address of a name
/// that this machine lacks, such as ::1 without IPv6, is left out if others remain. Errors: those
/// of resolve().
Result<std::vector<Address>> addresses_to_listen_at(std::string_view text, int family = AF_UNSPEC);

/// Segments of TCP connections since they were opened, as the kernel counts them: as they are on a
/// network, so one large send(2) is several. Acknowledgements and retransmissions count too.
struct Segments {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t data_in = 0;  ///< The part that carried bytes.
  std::uint64_t data_out = 0;

  Segments& operator+=(const Segments& other) noexcept;
};

/// What the kernel counted for one connection (TCP_INFO of tcp(7), Linux 4.6); about 0.2 us. It
/// counts in 32 bits, so a connection of more than 4,294,967,295 segments begins again at 0.
/// Nothing for a socket that is not TCP.
std::optional<Segments> segments_of(int fd) noexcept;

/// Bytes that the kernel has taken for a TCP connection and its other end has not acknowledged
/// (SIOCOUTQ of tcp(7)), also once that has ended it. Of a Unix socket, the memory of what the
/// other end has not read: 0 when it has ended.
std::size_t unacknowledged_by_peer(int fd) noexcept;

/// Datagrams that the kernel has received for a socket and dropped, nearly always because its
/// buffer was full (SO_MEMINFO, Linux 4.12): counted from its start, whether more arrive or not.
std::uint64_t drops_of(int fd) noexcept;

/// Raises the soft descriptor limit to the hard one (setrlimit(2), RLIMIT_NOFILE), makes room for
/// `needed` descriptors in the kernel's table, and returns the limit. To be called before threads
/// are started.
/// Errors: fewer than `needed` descriptors are allowed; the message names the limit to raise.
Result<std::size_t> require_descriptors(std::size_t needed);

}  // namespace wiremark::net
