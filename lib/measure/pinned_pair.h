// Two threads that talk to each other, each kept on a processor of its own.
#pragma once

#include <system_error>
#include <thread>

#include "base/cpus.h"

namespace wiremark::measure {

/// Calls first() on one processor and second(pinned) on another, which is false where that thread
/// may not run there, and returns when both have. The caller's own place is left as it is: one of
/// the two threads starts the other. Where a thread is not to be had, or the first may not be
/// pinned, neither is called.
template <class First, class Second>
void run_pinned_pair(int first_cpu, int second_cpu, First&& first, Second&& second) {
  const auto run = [&] {
    if (!pin_this_thread(first_cpu)) return;
    try {
      const std::jthread other([&] { second(pin_this_thread(second_cpu).has_value()); });
      first();
    } catch (const std::system_error&) {
    }
  };
  try {
    std::jthread{run};
  } catch (const std::system_error&) {
  }
}

}  // namespace wiremark::measure
