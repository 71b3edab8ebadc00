// Echoes large messages inside the kernel.
#include "net/mover.h"

#include <cerrno>

namespace wiremark::net {

namespace {

bool passes(int error) noexcept { return error == EAGAIN || error == EINTR; }

}  // namespace

bool Mover::can() noexcept {
  if (none_) return false;
  if (!pipe_) pipe_ = SplicePipe::open();
  none_ = !pipe_;
  return !none_;
}

Mover::Moved Mover::move(Conn& conn) {
  const ssize_t count = pipe_->fill(conn.fd);
  stats_.system_calls.add();
  none_ = count < 0 && errno == EINVAL;
  if (count <= 0) return {count, count == 0 || passes(errno) || none_ ? 0 : errno};
  int error = 0;
  while (pipe_->size() > 0) {
    const ssize_t sent = pipe_->send(conn.fd);
    stats_.system_calls.add();
    if (sent > 0) {
      stats_.bytes_out.add(static_cast<std::size_t>(sent));
      stats_.moved.add(static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      error = errno;
      break;
    }
  }
  while (pipe_->size() > 0) {
    std::byte part[64 << 10];
    const std::size_t size = pipe_->take_out(part, sizeof part);
    stats_.system_calls.add();
    if (error == EAGAIN) conn.append({part, size});
  }
  return {count, error == EAGAIN ? 0 : error};
}

std::string Mover::evidence() const {
  const std::uint64_t moved = stats_.moved.get();
  if (moved == 0) return {};
  return "splice(2): " + std::to_string(100 * moved / stats_.bytes_out.get()) +
         " % of the bytes sent never left the kernel";
}

}  // namespace wiremark::net
