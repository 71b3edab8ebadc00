// Messages in a format: the contents of E2 or the user's own, each answer decoded and checked.
#include "load/exchange/framed.h"

#include <fmt/format.h>

#include "base/digest.h"

namespace wiremark::load {

std::pair<std::string, std::string> FramedPlan::contents() const {
  return {"input",
          fmt::format("{}, {:.1f} bytes on average", contents_.source, contents_.mean_bytes())};
}

std::optional<std::uint64_t> FramedPlan::digest() const {
  Digest digest;
  for (const std::string& text : contents_.texts) digest.add(text);
  return digest.value();
}

std::pair<std::string, std::string> FramedPlan::checked() const {
  if (!verify_) return {};
  return {"verify", "head, guid and content of every answer compared with what was sent"};
}

// A server that expects another format closes the connection, or waits for the end of what it takes
// for a longer message.
std::string FramedPlan::unanswered() const {
  return fmt::format("does it speak {0}, as netecho -f {0} does?", name());
}

std::uint32_t FramedPlan::sequence_of(std::uint32_t connection,
                                      const wire::Message& reply) const noexcept {
  // Unsigned, since a stranger may send any head.
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
