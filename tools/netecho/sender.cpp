// The third stage of the staged server: bytes from the ring of each connection into its socket.
#include "netecho/sender.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace wiremark::tools {

Result<> Sender::run() {
  epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return failed("epoll_create1");
  epoll_event bell{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, links_.bell.fd(), &bell) != 0)
    return failed("epoll_ctl");
  constexpr int kEvents = 256;
  epoll_event events[kEvents];
  for (bool over = false; !over;) {
    const int count = ::epoll_wait(epoll_.get(), events, kEvents, -1);
    system_calls_.add();
    over = links_.all_processed.load(std::memory_order_acquire);
    for (int i = 0; i < count; ++i) {
      auto* link = static_cast<Link*>(events[i].data.ptr);
      if (link) {
        link->waiting = false;
        send(*link);
      } else {
        links_.bell.hush();
        take_posted();
      }
    }
  }
  return {};
}

void Sender::take_posted() {
  links_.to_send.take(posted_);
  for (Link* link : posted_) {
    // After this exchange the processor may free a link that is sent, so it is not touched again.
    const bool nothing_to_do = link->waiting || link->sent.load(std::memory_order_relaxed);
    link->posted.exchange(false, std::memory_order_acq_rel);
    if (!nothing_to_do) send(*link);
  }
  posted_.clear();
}

void Sender::send(Link& link) {
  const bool last = link.last.load(std::memory_order_acquire);
  for (;;) {
    auto parts = link.out.parts();
    if (link.send_error != 0) link.out.consume(parts[0].size() + parts[1].size());
    if (parts[0].empty() || link.send_error != 0) break;
    // The kernel takes the pointers without their const.
    iovec pieces[2] = {{const_cast<std::byte*>(parts[0].data()), parts[0].size()},
                       {const_cast<std::byte*>(parts[1].data()), parts[1].size()}};
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = parts[1].empty() ? 1 : 2;
    const ssize_t count = ::sendmsg(link.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    system_calls_.add();
    if (count >= 0) {
      bytes_out_.add(static_cast<std::size_t>(count));
      link.out.consume(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      return wait_for_room(link);
    } else if (errno != EINTR) {
      fail(link, errno);
    }
  }
  if (!last) return;
  // A refused peer is not read from any more: then the receiver sees the end of the stream.
  ::shutdown(link.fd, link.ended.load(std::memory_order_acquire) ? SHUT_WR : SHUT_RDWR);
  link.sent.store(true, std::memory_order_release);
}

void Sender::wait_for_room(Link& link) {
  epoll_event room{.events = EPOLLOUT | EPOLLONESHOT, .data = {.ptr = &link}};
  int status = ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, link.fd, &room);
  if (status != 0 && errno == ENOENT)
    status = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, link.fd, &room);
  system_calls_.add();
  link.waiting = status == 0;
  if (status != 0) fail(link, errno);
}

void Sender::fail(Link& link, int error) {
  link.send_error = error;
  link.failed.store(true, std::memory_order_release);
  ::shutdown(link.fd, SHUT_RDWR);
}

}  // namespace wiremark::tools
