// What netecho speaks: its only part that knows formats by name.
#pragma once

#include <string>
#include <vector>

#include "formats.h"
#include "netecho/answer.h"
#include "netecho/echo.h"
#include "netecho/responder.h"
#include "netecho/sockperf.h"
#include "wire/codecs.h"

namespace wiremark::tools {

/// More than the header of any format.
inline constexpr std::size_t kHeaderMax = 64;

struct ProtocolOptions {
  std::string format{kRaw};
  wire::Limits limits;
};

inline std::vector<std::string> protocol_names() {
  std::vector<std::string> names = format_names();
  names.emplace_back(SockperfAnswerer::kName);
  return names;
}

/// Calls use(answerer) for a format other than raw, on the thread that will use it. Errors: the
/// name of no format.
template <class Use>
Result<> with_answerer(const ProtocolOptions& options, Use&& use) {
  if (options.format == SockperfAnswerer::kName) {
    SockperfAnswerer answerer(options.limits);
    use(answerer);
    return {};
  }
  return wire::with_codec(options.format, options.limits, [&](auto& codec) {
    CodecAnswerer answerer(codec, options.limits);
    use(answerer);
  });
}

/// Calls use(handler) with the handler on `reactor` for the format asked for.
template <net::Reactor Reactor, class Use>
Result<> with_protocol(const ProtocolOptions& options, const Reactor& reactor, EchoCounts& counts,
                       Use&& use) {
  if (options.format == kRaw) {
    Echo echo(reactor, counts);
    use(echo);
    return {};
  }
  return with_answerer(options, [&](auto& answerer) {
    Responder responder(reactor, answerer, counts);
    use(responder);
  });
}

}  // namespace wiremark::tools
