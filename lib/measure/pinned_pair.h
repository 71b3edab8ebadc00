// Two threads that talk to each other, each kept on a processor of its own.
#pragma once

#include <system_error>
#include <thread>

#include "base/cpus.h"

namespace wiremark::measure {

/// Calls first() on one processor and second(pinned) on another, and returns when both have
/// returned. `pinned` is false where that thread may not run there. Neither is called where a
/// thread cannot be had or the first cannot be pinned. The caller itself is not moved: one of the
/// two threads starts the other.
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
