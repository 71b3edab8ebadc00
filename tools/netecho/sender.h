// The third stage of the staged server: bytes from the ring of each connection into its socket.
#pragma once

#include <vector>

#include "base/counter.h"
#include "base/fd.h"
#include "base/result.h"
#include "netecho/link.h"

namespace wiremark::tools {

/// Sends with sendmsg(2), whichever backend receives. It waits only for full sockets,
/// whose room one-shot epoll(7) reports.
class Sender {
 public:
  explicit Sender(StageLinks& links) : links_(links) {}

  /// Sends until the processor has ended and all that can be sent is sent. Errors: epoll is denied.
  Result<> run();

  const Counter& bytes_out() const noexcept { return bytes_out_; }
  const Counter& system_calls() const noexcept { return system_calls_; }

 private:
  void take_posted();
  void send(Link& link);
  void wait_for_room(Link& link);
  void fail(Link& link, int error);

  StageLinks& links_;
  Fd epoll_;
  std::vector<Link*> posted_;
  Counter bytes_out_;
  Counter system_calls_;
};

}  // namespace wiremark::tools
