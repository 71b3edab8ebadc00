// The connections of a client over AF_XDP: an ordinary socket each, which holds its port.
#include "net/xdp/conns.h"

#include <unistd.h>

#include "net/socket.h"

namespace wiremark::net::xdp {

Conns::Conns(ReactorStats& stats)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), batch_(offload_, stats), by_port_(65'536) {}

Conns::~Conns() {
  for (const Conn& conn : conns_) ::close(conn.fd);
}

Result<Conn*> Conns::add(Fd socket, std::uint16_t port, Conn conn) {
  if (!epoll_) return failed("epoll_create1", fix_of_files(errno));
  Conn& added = conns_.emplace_back(std::move(conn));
  added.fd = socket.release();
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &added}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, added.fd, &event) != 0)
    return failed("epoll_ctl", errno == ENOSPC ? "(raise 'sysctl fs.epoll.max_user_watches')" : "");
  by_port_[port] = &added;
  return &added;
}

std::uint64_t Conns::dropped() const noexcept {
  std::uint64_t dropped = 0;
  for (const DatagramConn& conn : conns_) dropped += drops_of(conn.fd);
  return dropped;
}

}  // namespace wiremark::net::xdp
