// By which clock the answers of a run were timed.
#include "netload/answer_timing.h"

#include <fmt/format.h>

namespace wiremark::tools {

namespace {

// Of an AnswerTiming whose kernel was asked.
std::string stamps_of(const AnswerTiming& timing, const std::string& when_read) {
  if (!timing.tells) return "none from this kind of socket; answers are timed " + when_read;
  const std::uint64_t receives = timing.stamped + timing.unstamped;
  if (receives == 0) return "none, for nothing came";
  if (timing.stamped == 0) return "none of what came; answers are timed " + when_read;
  const std::string when_received = "when the kernel received them";
  if (timing.unstamped == 0) return "answers are timed " + when_received;
  const double share = static_cast<double>(timing.stamped) / static_cast<double>(receives);
  return fmt::format("{:.3g} % of the answers are timed {}, the others {}", 100 * share,
                     when_received, when_read);
}

}  // namespace

std::string evidence_of(const AnswerTiming& timing) {
  std::string when_read = "when they are read";
  if (timing.late > 0) when_read += fmt::format(", up to {} later", format_duration(timing.late));
  if (timing.asked) return "receive timestamps: " + stamps_of(timing, when_read);
  return timing.late > 0 ? "answers are timed " + when_read : "";
}

}  // namespace wiremark::tools
