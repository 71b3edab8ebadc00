// The steps of packets: what is said of one that comes back wrong, and the floor under all.
#include "bench/packet_steps.h"

#include <cstdint>

namespace wiremark::bench {

std::string compare(const wire::Message& sent, const wire::Message& received,
                    wire::DecodeError error, std::size_t index) {
  if (error) return fmt::format("decode of content {}: {}", index + 1, describe(error));
  if (sent != received) return fmt::format("content {} comes back changed", index + 1);
  return {};
}

std::string escape_beyond_ascii(std::string_view json) {
  std::string text;
  const auto put_unit = [&text](std::uint32_t unit) { text += fmt::format("\\u{:04x}", unit); };
  for (std::size_t at = 0; at < json.size();) {
    const auto lead = static_cast<unsigned char>(json[at++]);
    if (lead < 0x80) {
      text += static_cast<char>(lead);
      continue;
    }
    std::uint32_t point = lead & (lead < 0xE0 ? 0x1FU : lead < 0xF0 ? 0x0FU : 0x07U);
    for (; at < json.size() && (json[at] & 0xC0) == 0x80; ++at)
      point = point << 6 | (json[at] & 0x3F);
    if (point < 0x10000) {
      put_unit(point);
    } else {
      put_unit(0xD800 + ((point - 0x10000) >> 10));
      put_unit(0xDC00 + (point & 0x3FF));
    }
  }
  return text;
}

CopyStep::CopyStep(Access access, const SharedContents& contents, Random& random)
    : messages_(access, *contents, random),
      desk_(
          [this] {
            std::size_t room = 1;
            for (const auto& message : messages_.all()) {
              room = std::max(room, message.content.size());
            }
            return room;
          }(),
          random),
      room_(desk_.room()) {}

double CopyStep::wire_bytes() const {
  double sum = 0;
  for (const auto& message : messages_.all()) sum += static_cast<double>(message.content.size());
  return sum / static_cast<double>(messages_.size());
}

}  // namespace wiremark::bench
