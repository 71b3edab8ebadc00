// One loop per thread, each on a processor of its own when asked.
#include "net/workers.h"

#include <signal.h>
#include <sys/prctl.h>

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace wiremark::net {

namespace {

// Blocks all signals while workers are started, so that they inherit that and the control thread
// handles every signal.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Workers::Workers(std::size_t count, std::vector<int> cpus, Stop& stop, Body body)
    : stop_(stop), ready_(static_cast<std::ptrdiff_t>(count)) {
  const SignalsBlocked blocked;
  const auto start = [&](std::size_t index) {
    threads_.emplace_back([this, index, cpus, body] {
      // The default slack of 50 us would delay every timed wait by that much (prctl(2)).
      ::prctl(PR_SET_TIMERSLACK, 1);
      bool counted = false;
      const std::function<void()> ready = [&] {
        if (!std::exchange(counted, true)) ready_.count_down();
      };
      Result<> result;
      if (!cpus.empty()) result = pin_this_thread(cpus[index % cpus.size()]);
      if (result) result = body(index, ready);
      if (!result) fail(result.error());
      ready();
    });
  };
  try {
    while (threads_.size() < count) start(threads_.size());
  } catch (const std::system_error& error) {
    const auto lacking = static_cast<std::ptrdiff_t>(count - threads_.size());
    fail({"pthread_create", error.code().value(),
          std::to_string(threads_.size() + 1) + " of " + std::to_string(count) +
              " (take fewer threads, or raise 'ulimit -u')"});
    ready_.count_down(lacking);
  }
}

Workers::~Workers() {
  if (threads_.empty()) return;
  stop_.request();
  (void)join();
}

void Workers::fail(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  stop_.request();
}

Result<> Workers::outcome() {
  const std::lock_guard lock(mutex_);
  if (error_) return std::unexpected(*error_);
  return {};
}

Result<> Workers::wait_ready() {
  ready_.wait();
  return outcome();
}

Result<> Workers::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return outcome();
}

}  // namespace wiremark::net
