// Two threads that talk to each other, each kept on a processor of its own.
#pragma once

#include <latch>
#include <system_error>
#include <thread>

#include "base/cpus.h"

namespace wiremark::measure {

/// Calls first() on one processor and second() on another, and returns when both have returned.
/// Neither is called where a thread cannot be had or one of them may not run on its processor. The
/// caller itself is not moved: one of the two threads starts the other, and is asleep until that is
/// where it belongs, because it begins on the same processor.
template <class First, class Second>
void run_pinned_pair(int first_cpu, int second_cpu, First&& first, Second&& second) {
  const auto run = [&] {
    if (!pin_this_thread(first_cpu)) return;
    try {
      bool both = false;
      std::latch decided(1);
      const std::jthread other([&] {
        both = pin_this_thread(second_cpu).has_value();
        decided.count_down();
        if (both) second();
      });
      decided.wait();
      if (both) first();
    } catch (const std::system_error&) {
    }
  };
  try {
    std::jthread{run};
  } catch (const std::system_error&) {
  }
}

}  // namespace wiremark::measure
