// One loop per thread, each on a processor of its own when asked. Stable.
#pragma once

#include <cstddef>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/cpus.h"
#include "net/stop.h"

namespace wiremark::net {

/// Threads that run until a stop is requested. One thread starts and joins them.
class Workers {
 public:
  /// Starts `count` threads; thread i is pinned to cpus[i % size] unless the list is empty, then
  /// runs body(i, ready) and must call ready() once when it can serve. The first thread to fail
  /// requests the stop for all.
  using Body = std::function<Result<>(std::size_t index, const std::function<void()>& ready)>;
  Workers(std::size_t count, std::vector<int> cpus, Stop& stop, Body body);
  ~Workers();

  /// Waits until every thread is ready or has failed.
  Result<> wait_ready();

  /// Waits for the threads' end. The first failure of any of them.
  Result<> join();

 private:
  void fail(Error error);
  Result<> outcome();

  Stop& stop_;
  std::latch ready_;
  std::mutex mutex_;
  std::optional<Error> error_;  // Guarded by mutex_.
  std::vector<std::thread> threads_;
};

}  // namespace wiremark::net
