// What a worker's reactor counts, for the control thread: live while it runs, and kept after.
#pragma once

#include <mutex>
#include <utility>

#include "net/reactor_options.h"

namespace wiremark::tools {

/// The worker says when its reactor begins and ends; any thread asks.
class WatchedReactor {
 public:
  void began(const net::ReactorStats& stats) {
    const std::lock_guard lock(mutex_);
    live_ = &stats;
  }
  void ended() {
    const std::lock_guard lock(mutex_);
    kept_ = *std::exchange(live_, nullptr);
  }
  net::ReactorStats stats() const {
    const std::lock_guard lock(mutex_);
    return live_ ? *live_ : kept_;
  }

 private:
  mutable std::mutex mutex_;
  const net::ReactorStats* live_ = nullptr;
  net::ReactorStats kept_;
};

}  // namespace wiremark::tools
