// What the io_uring reactor says of itself in a result: what was asked for, what is active, and the
// counts that show it.
#include <algorithm>
#include <iterator>
#include <string>

#include "net/uring_reactor.h"
#include "probe/evidence.h"

namespace wiremark::net {

std::vector<std::string> UringReactor::describe() const {
  const UringOptions& active = ring_.active();
  std::vector<std::string> lines = {"io_uring, multishot receive into " +
                                    std::to_string(buffers_.circulating()) + " buffers of " +
                                    std::to_string(buffers_.size() >> 10) +
                                    " KiB, sends queued, one enter a turn"};
  const auto add = [&lines](bool on, const std::string& line) {
    if (on) lines.push_back(line);
  };
  const std::string moved = mover_.evidence();
  add(!moved.empty(), moved);
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
  add(active.zero_copy_min > 0,
      "zc: active, " + probe::copied_evidence(stats_.zero_copy.get(), stats_.zero_copy_not.get()));
  add(active.napi_ns > 0,
      std::string("napi: ") + (napi_id_ > 0 ? "active, " : "") + probe::napi_evidence(napi_id_));
  if (datagrams_) std::ranges::move(datagrams_->describe(), std::back_inserter(lines));
  lines.insert(lines.end(), ring_.missing().begin(), ring_.missing().end());
  return lines;
}

void UringReactor::note_napi(int fd) noexcept {
  if (const unsigned id = probe::napi_id(fd); id > 0) napi_id_ = id;
}

}  // namespace wiremark::net
