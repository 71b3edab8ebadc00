// Two connected sockets over loopback, to try on them what the kernel accepts.
#include "probe/loopback.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace wiremark::probe {

namespace {

Result<sockaddr_in> bind_any(const Fd& fd) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), size) < 0) return failed("bind");
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &size) < 0)
    return failed("getsockname");
  return name;
}

Result<> connect_to(const Fd& fd, const sockaddr_in& name) {
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) < 0)
    return failed("connect");
  return {};
}

// A socket that loses what it waits for must not wait for ever.
void wait_a_second_at_most(const Fd& fd) {
  const timeval second{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
}

}  // namespace

Result<Loopback> connect_streams() {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Loopback pair{.client = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), .server = Fd()};
  if (!listener || !pair.client) return failed("socket");
  const auto name = bind_any(listener);
  if (!name) return std::unexpected(name.error());
  if (::listen(listener.get(), 1) < 0) return failed("listen");
  if (auto done = connect_to(pair.client, *name); !done) return std::unexpected(done.error());
  pair.server = Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!pair.server) return failed("accept4");
  wait_a_second_at_most(pair.client);
  wait_a_second_at_most(pair.server);
  return pair;
}

Result<Loopback> connect_datagrams() {
  Loopback pair{.client = Fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
                .server = Fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))};
  if (!pair.client || !pair.server) return failed("socket");
  const auto client = bind_any(pair.client);
  if (!client) return std::unexpected(client.error());
  const auto server = bind_any(pair.server);
  if (!server) return std::unexpected(server.error());
  if (auto done = connect_to(pair.client, *server); !done) return std::unexpected(done.error());
  if (auto done = connect_to(pair.server, *client); !done) return std::unexpected(done.error());
  wait_a_second_at_most(pair.client);
  wait_a_second_at_most(pair.server);
  return pair;
}

}  // namespace wiremark::probe
