// What all threads of a load send, and the one place of netload that knows formats by name.
#include "netload/traffic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace wiremark::tools {

namespace {

// Whether a codec takes back what it made of `text`; the error says what it cannot carry.
template <wire::Codec C>
wire::DecodeError carries(C& codec, const std::string& text, const wire::Limits& limits,
                          std::vector<std::byte>& scratch) {
  const wire::Message sent{.head = INT32_MIN, .guid = INT32_MAX, .content = text};
  scratch.resize(std::max(scratch.size(), codec.max_size(sent)));
  const std::size_t size = codec.encode(sent, scratch);
  if (size == 0) return {wire::DecodeErrorKind::invalid_utf8, 0};
  if (size > limits.frame_size) return {wire::DecodeErrorKind::too_large, limits.frame_size};
  wire::Message got;
  return codec.decode(Bytes(scratch.data(), size), got);
}

}  // namespace

Result<> add_contents(TrafficPlan& plan, const std::string& input) {
  plan.contents = e2_contents();
  if (!input.empty()) {
    auto contents = read_contents(input);
    if (!contents) return std::unexpected(contents.error());
    plan.contents = std::move(*contents);
  }
  std::vector<std::byte> scratch;
  Result<> outcome;
  const auto tried = wire::with_codec(plan.format, plan.limits, [&](auto& codec) {
    for (std::size_t i = 0; i < plan.contents.texts.size() && outcome; ++i) {
      const auto error = carries(codec, plan.contents.texts[i], plan.limits, scratch);
      if (!error) continue;
      const bool too_large = error.kind == wire::DecodeErrorKind::too_large;
      outcome = failed(fmt::format("line {} of {} cannot be sent: {}{}", i + 1, input,
                                   name_of(plan.format, error.kind),
                                   too_large ? " (raise --max-frame, of the server too)" : ""),
                       {}, 0);
    }
  });
  return tried ? outcome : tried;
}

}  // namespace wiremark::tools
