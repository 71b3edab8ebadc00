// Real-time priority for the threads that run loops.
#include "realtime.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <charconv>

#include "measure/text_file.h"

namespace wiremark::tools {

namespace {

// The lowest: before every ordinary thread, and after all else that is real-time, such as the
// threads of interrupts, which have 50.
constexpr int kPriority = 1;

}  // namespace

Result<> become_realtime() {
  const sched_param priority{.sched_priority = kPriority};
  if (::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) == 0) return {};
  return failed("--realtime: sched_setscheduler",
                errno == EPERM ? "(needs CAP_SYS_NICE, as root has, or a real-time limit: "
                                 "'ulimit -r 1', set by limits.conf(5))"
                               : "");
}

std::string realtime_note() {
  std::string note = fmt::format("realtime: SCHED_FIFO with priority {}", kPriority);
  const auto number_in = [](const char* file) {
    long long number = -1;
    const auto text = measure::read_text(file);
    if (text) std::from_chars(text->data(), text->data() + text->size(), number);
    return number;
  };
  const long long run_us = number_in("/proc/sys/kernel/sched_rt_runtime_us");
  const long long period_us = number_in("/proc/sys/kernel/sched_rt_period_us");
  if (run_us >= 0 && run_us < period_us)
    note += fmt::format(", for at most {:.3g} % of a processor's time",
                        100.0 * static_cast<double>(run_us) / static_cast<double>(period_us));
  return note;
}

}  // namespace wiremark::tools
