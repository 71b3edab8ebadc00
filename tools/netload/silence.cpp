// What a run saw of a server that sent nothing back, and what follows from it.
#include "netload/silence.h"

#include <fmt/format.h>

#include "base/units.h"
#include "measure/quantity.h"
#include "netload/tls_port.h"

namespace wiremark::tools {

using measure::format_counted;

std::string describe(const Silence& silence) {
  if (silence.closed + silence.waited == 0) return {};
  std::string seen, advice;
  if (silence.closed > 0)
    seen = fmt::format("the server closed {}", format_counted(silence.closed, "connection"));
  if (silence.waited > 0) {
    seen +=
        fmt::format("{}{} waited {} (--timeout)", seen.empty() ? "" : ", and ",
                    format_counted(silence.waited, "connection"), format_duration(silence.timeout));
  }
  if (silence.speaks_tls) {
    advice = std::string("; ") + kSpeaksTls;
  } else {
    if (silence.waited > 0) advice = "; a server that takes longer wants a longer --timeout";
    if (!silence.asked.empty()) advice += "; " + silence.asked;
  }
  return fmt::format("no request was answered: {} without a byte in reply{}", seen, advice);
}

}  // namespace wiremark::tools
