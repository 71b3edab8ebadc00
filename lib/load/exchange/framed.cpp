// Messages in a format: the contents of E2 or the user's own, each answer decoded and checked.
#include "load/exchange/framed.h"

#include <fmt/format.h>

namespace wiremark::load {

std::pair<std::string, std::string> FramedPlan::contents() const {
  return {"input",
          fmt::format("{}, {:.1f} bytes on average", contents_.source, contents_.mean_bytes())};
}

std::string FramedPlan::verified() const {
  return "head, guid and content of every answer compared with what was sent";
}

// A server of another format closes, or waits for the rest of what it takes for a longer message.
// Nothing has arrived then that could show it.
std::string FramedPlan::unanswered() const {
  return fmt::format(
      "no message was answered: expected {} frames, got nothing (does the server speak {}? "
      "netecho -f {})",
      name(), name(), name());
}

wire::Message FramedPlan::message(std::uint32_t connection, std::uint32_t sequence) const noexcept {
  const std::size_t text = (std::size_t{connection} + sequence) % contents_.texts.size();
  wire::Message message{.head = kHead, .content = contents_.texts[text]};
  if (run_ == 0) {
    const std::uint64_t place = std::uint64_t{connection} << 32 | sequence;
    message.guid = static_cast<std::int32_t>(mix(seed_ + place) & INT32_MAX);
  } else {
    message.head += static_cast<std::int32_t>(sequence >> 31);
    message.guid = static_cast<std::int32_t>((sequence ^ key_of(connection)) & INT32_MAX);
  }
  return message;
}

std::uint32_t FramedPlan::sequence_of(std::uint32_t connection,
                                      const wire::Message& reply) const noexcept {
  // Whoever sends it may write any head.
  const auto high = (static_cast<std::uint32_t>(reply.head) - kHead) << 31;
  return high | ((static_cast<std::uint32_t>(reply.guid) ^ key_of(connection)) & INT32_MAX);
}

Refusal FramedPlan::difference(const wire::Message& got, const wire::Message& sent) const {
  const bool head = got.head != sent.head;
  const bool guid = got.guid != sent.guid;
  Refusal why;
  why.kind = fmt::format("{}: wrong {}", name(), head ? "head" : guid ? "guid" : "content");
  why.detail = fmt::format(
      "a {} answer has head {}, guid {} and {} bytes of content; sent were {}, {} and {}", name(),
      got.head, got.guid, got.content.size(), sent.head, sent.guid, sent.content.size());
  if (!head && !guid && got.content.size() == sent.content.size())
    why.detail += ", and the content differs";
  return why;
}

}  // namespace wiremark::load
