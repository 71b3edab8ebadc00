// How a reactor waits for the next event: asleep, spinning, or spinning before it sleeps.
#include "net/wait.h"

#include "base/units.h"

namespace wiremark::net {

namespace {
constexpr std::string_view kAdaptive = "adaptive";
}

Result<WaitPolicy> WaitPolicy::parse(std::string_view text) {
  if (text == "block") return WaitPolicy{.mode = Mode::block};
  if (text == "spin") return WaitPolicy{.mode = Mode::spin};
  if (text == kAdaptive) return WaitPolicy{.mode = Mode::adaptive};
  if (text.starts_with(kAdaptive) && text.substr(kAdaptive.size()).starts_with(':')) {
    const auto time = parse_duration(text.substr(kAdaptive.size() + 1));
    if (!time) return std::unexpected(time.error());
    return WaitPolicy{.mode = Mode::adaptive, .spin_ns = *time};
  }
  return failed("'" + std::string(text) + "' is not block, spin, adaptive or adaptive:TIME", {}, 0);
}

std::string WaitPolicy::to_string() const {
  switch (mode) {
    case Mode::block:
      return "block";
    case Mode::spin:
      return "spin";
    case Mode::adaptive:
      break;
  }
  return std::string(kAdaptive) + ":" + format_duration(spin_ns);
}

}  // namespace wiremark::net
