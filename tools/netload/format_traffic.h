// Messages in a format: the contents of E2 or the user's own, each answer decoded and checked.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contents.h"
#include "formats.h"
#include "netload/traffic.h"
#include "wire/frame.h"

namespace wiremark::tools {

/// Message `sequence` of a connection has the head of E1, a guid that tells it from others, and the
/// next content of the list. Nothing of it is kept: it is made again to check the answer.
template <wire::Codec C>
class FormatTraffic {
 public:
  FormatTraffic(C& codec, const Contents& contents, const wire::Limits& limits, std::uint64_t seed,
                bool verify)
      : codec_(codec), contents_(contents), limits_(limits), seed_(seed), verify_(verify) {}

  std::size_t send(net::Conn& conn, std::uint32_t connection, std::uint32_t sequence) {
    conn.copy_lent();  // The message before may still lie in scratch_.
    const wire::Message sent = message(connection, sequence);
    const std::size_t room = wire::max_frame_size(codec_, sent);
    if (scratch_.size() < room) [[unlikely]]
      scratch_.resize(room);
    const std::size_t size = wire::encode_frame(codec_, sent, scratch_);
    conn.lend_until_flush(Bytes(scratch_.data(), size));
    return size;
  }

  Reply check(std::uint32_t connection, std::uint32_t sequence, std::size_t, Bytes bytes) {
    wire::Frame frame;
    wire::Message got;
    if (const auto error = verify_ ? wire::decode_frame(codec_, bytes, limits_, frame, got)
                                   : wire::next_frame(wire::kFramingOf<C>, bytes, limits_, frame)) {
      if (error.kind == wire::DecodeErrorKind::need_more_data) return {};
      return refuse(error, bytes);
    }
    if (!verify_) return {.consumed = frame.size, .whole = true};
    const wire::Message sent = message(connection, sequence);
    if (got != sent) [[unlikely]]
      return refuse(got, sent);
    return {.consumed = frame.size, .whole = true};
  }

  Refusal refusal() const { return refusal_; }

 private:
  static constexpr std::int32_t kHead = 567;

  wire::Message message(std::uint32_t connection, std::uint32_t sequence) const noexcept {
    const std::uint64_t place = std::uint64_t{connection} << 32 | sequence;
    const std::size_t text = (std::size_t{connection} + sequence) % contents_.texts.size();
    return {.head = kHead,
            .guid = static_cast<std::int32_t>(mix(seed_ + place) & INT32_MAX),
            .content = contents_.texts[text]};
  }

  Reply refuse(const wire::DecodeError& error, Bytes bytes) {
    refusal_ = {name_of(C::kName, error.kind), describe(C::kName, error, bytes)};
    return {.refused = true};
  }

  Reply refuse(const wire::Message& got, const wire::Message& sent) {
    const bool head = got.head != sent.head;
    const bool guid = got.guid != sent.guid;
    refusal_.kind = fmt::format("{}: wrong {}", C::kName,
                                head   ? "head"
                                : guid ? "guid"
                                       : "content");
    refusal_.detail = fmt::format(
        "a {} answer has head {}, guid {} and {} bytes of content; sent were {}, {} and {}",
        C::kName, got.head, got.guid, got.content.size(), sent.head, sent.guid,
        sent.content.size());
    if (!head && !guid && got.content.size() == sent.content.size())
      refusal_.detail += ", and the content differs";
    return {.refused = true};
  }

  C& codec_;
  const Contents& contents_;
  wire::Limits limits_;
  std::uint64_t seed_;
  bool verify_;
  std::vector<std::byte> scratch_;  // As long as the longest message so far may have been.
  Refusal refusal_;
};

}  // namespace wiremark::tools
