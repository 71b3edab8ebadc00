// Whether a port speaks TLS, of which a run in plain text sees no more than that it fails.
#include "netload/tls_port.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>

#include "load/exchange/tls_record.h"
#include "net/socket.h"

namespace wiremark::tools {

namespace {

using namespace std::string_view_literals;

// The ClientHello of TLS 1.2 (RFC 5246, 7.4.1.2) with one cipher suite that all know and no
// extension. Who does not want it answers with an alert, in a record of TLS as well.
constexpr std::string_view kClientHello =
    "\x16\x03\x01\0\x2d"                // A record of the handshake, 45 bytes.
    "\x01\0\0\x29\x03\x03"              // ClientHello, 41 bytes, version 1.2.
    "wiremark asks whether you do TLS"  // 32 bytes of the client's random.
    "\0\0\x02\xc0\x2f"                  // No session; ECDHE_RSA_WITH_AES_128_GCM_SHA256.
    "\x01\0"sv;                         // No compression.

/// A socket on which is waited until a moment, or until the run is to end.
struct Waiting {
  int fd;
  Nanoseconds until;
  const net::Stop& stop;

  bool for_any(short events) const {
    pollfd awaited[] = {{.fd = fd, .events = events, .revents = 0},
                        {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
    while (!stop.requested()) {
      const Nanoseconds now = now_ns();
      const timespec left = to_timespec(until > now ? until - now : 0);
      const int ready = ::ppoll(awaited, 2, &left, nullptr);
      if (ready >= 0) return awaited[0].revents != 0;
      if (errno != EINTR) return false;
    }
    return false;
  }
};

}  // namespace

bool speaks_tls(const net::Address& to, const net::Address* from, Nanoseconds patience,
                const net::Stop& stop) {
  net::ConnectOptions options;
  options.from = from;
  const auto socket = net::socket_for(to, options);
  if (!socket) return false;
  const int fd = socket->get();
  const Waiting waiting{fd, now_ns() + patience, stop};
  if (::connect(fd, to.data(), to.size()) != 0 && errno != EINPROGRESS) return false;
  if (!waiting.for_any(POLLOUT)) return false;
  // A few bytes always fit a socket that has sent nothing.
  if (::send(fd, kClientHello.data(), kClientHello.size(), MSG_NOSIGNAL) < 0) return false;
  char answer[kTlsHead + 1];  // And the kind of its first message.
  std::size_t size = 0;
  while (size < sizeof answer && waiting.for_any(POLLIN)) {
    const ssize_t got = ::recv(fd, answer + size, sizeof answer - size, 0);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  const std::string_view came(answer, size);
  return load::begins_like_tls(came) && !kClientHello.starts_with(came);  // No echo.
}

}  // namespace wiremark::tools
