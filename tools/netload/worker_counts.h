// What a worker's reactor counts and how its thread fares: live while it runs, and kept after.
#pragma once

#include <unistd.h>

#include <mutex>
#include <optional>
#include <utility>

#include "measure/processor_wait.h"
#include "net/reactor_options.h"

namespace wiremark::tools {

/// The worker tells when its reactor begins and ends; any thread may read the counts.
class WorkerCounts {
 public:
  void began(const net::ReactorStats& stats) {
    const std::lock_guard lock(mutex_);
    live_ = &stats;
    thread_ = ::gettid();
  }
  void ended() {
    const std::lock_guard lock(mutex_);
    kept_ = *std::exchange(live_, nullptr);
    if (const auto delay = measure::run_delay_of_this_thread()) kept_delay_ = {thread_, *delay};
  }
  net::ReactorStats stats() const {
    const std::lock_guard lock(mutex_);
    return live_ ? *live_ : kept_;
  }

  /// Since the thread began; none where the kernel does not say.
  std::optional<measure::ThreadDelay> run_delay() const {
    const std::lock_guard lock(mutex_);
    if (!live_) return kept_delay_;
    const auto delay = measure::run_delay_of_thread(thread_);
    return delay ? std::optional(measure::ThreadDelay{thread_, *delay}) : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  const net::ReactorStats* live_ = nullptr;
  net::ReactorStats kept_;
  pid_t thread_ = 0;
  std::optional<measure::ThreadDelay> kept_delay_;
};

}  // namespace wiremark::tools
