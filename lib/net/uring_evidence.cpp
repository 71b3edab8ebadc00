// What the io_uring reactor says of itself in a result: what was asked for, what is active, and the
// counts that show it.
#include <sys/socket.h>

#include <string>

#include "net/uring_reactor.h"

namespace wiremark::net {

namespace {

std::string percent(std::uint64_t part, std::uint64_t all) {
  return std::to_string(all > 0 ? 100 * part / all : 0) + " %";
}

}  // namespace

std::vector<std::string> UringReactor::describe() const {
  const UringOptions& active = ring_.active();
  std::vector<std::string> lines = {"io_uring, multishot receive into " +
                                    std::to_string(buffers_.circulating()) + " buffers of " +
                                    std::to_string(buffers_.size() >> 10) +
                                    " KiB, sends queued, one enter a turn"};
  const auto add = [&lines](bool on, const std::string& line) {
    if (on) lines.push_back(line);
  };
  const std::string batch = options_.wait.batch_note();
  add(!batch.empty() && active.min_wait, batch + ", in io_uring's own min-wait");
  add(!batch.empty() && !active.min_wait, batch + ", in a timed wait");
  add(!batch.empty() && !active.min_wait && options_.uring.min_wait,
      "min-wait: not active: needs Linux 6.12");
  add(options_.receive_timestamps, ReceiveClock::kNote);
  add(options_.receive_timestamps && options_.uring.bundle,
      "bundle: not active: a receive with a timestamp fills one buffer");
  add(active.direct, "direct: active, " + std::to_string(stats_.accepted.get()) +
                         " connections accepted without a descriptor");
  add(active.bundle, "bundle: active, " + std::to_string(stats_.bundled.get()) +
                         " buffers were filled by a receive that filled more than one");
  add(active.sqpoll_ns > 0, "sqpoll: active, a kernel thread submits and is charged to us");
  const std::uint64_t ended = stats_.zero_copy.get();
  add(active.zero_copy_min > 0, "zc: active, " + std::to_string(ended) + " sends, of which " +
                                    percent(stats_.zero_copy_not.get(), ended) +
                                    " were copied by the kernel all the same");
  add(active.napi_ns > 0 && napi_id_ > 0,
      "napi: active, a queue with the NAPI id " + std::to_string(napi_id_) + " is polled");
  add(active.napi_ns > 0 && napi_id_ == 0,
      "napi: accepted by the kernel, but no connection has a NAPI id: nothing is polled");
  if (datagrams_) lines.push_back(datagrams_->describe());
  lines.insert(lines.end(), ring_.missing().begin(), ring_.missing().end());
  return lines;
}

void UringReactor::note_napi(int fd) noexcept {
  unsigned id = 0;
  socklen_t size = sizeof id;
  if (::getsockopt(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &id, &size) == 0 && id > 0) napi_id_ = id;
}

}  // namespace wiremark::net
