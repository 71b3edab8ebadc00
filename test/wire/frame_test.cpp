// Frames found in a stream that is cut at every byte.
#include "wire/frame.h"

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "wire/codecs.h"

using namespace wiremark;
using namespace wiremark::wire;

TEST_CASE("a stream is cut into the messages that went in, and says how much is missing") {
  for (const std::string_view name : Codecs::kNames) {
    CAPTURE(name);
    const auto found = with_codec(name, Limits(), [](auto& codec) {
      constexpr Framing kFraming = kFramingOf<std::remove_reference_t<decltype(codec)>>;
      const std::array<Message, 3> messages = {Message{567, 15, "the first"}, Message{-1, 0, ""},
                                               Message{1, 2, "the third one"}};
      std::vector<std::byte> stream;
      for (const Message& message : messages) {
        std::vector<std::byte> to(max_frame_size(codec, message));
        const std::size_t size = encode_frame(codec, message, to);
        REQUIRE(size > 0);
        stream.insert(stream.end(), to.begin(), to.begin() + static_cast<std::ptrdiff_t>(size));
      }
      Bytes rest = stream;
      for (const Message& expected : messages) {
        Frame frame;
        std::size_t need = 0;
        for (std::size_t size = 0;; ++size) {
          const std::vector<std::byte> part(rest.begin(),
                                            rest.begin() + static_cast<std::ptrdiff_t>(size));
          const DecodeError error = next_frame(kFraming, part, Limits(), frame);
          if (!error) break;
          REQUIRE(error.kind == DecodeErrorKind::need_more_data);
          REQUIRE(error.offset > size);
          need = error.offset;
        }
        REQUIRE_FALSE(next_frame(kFraming, rest, Limits(), frame));
        REQUIRE(frame.size == need);
        Message message;
        REQUIRE_FALSE(codec.decode(frame.packet, message));
        REQUIRE(message == expected);
        rest = rest.subspan(frame.size);
      }
      CHECK(rest.empty());
    });
    CHECK(found.has_value());
  }
}

namespace {

/// What a stream says: the frames in it are of the formats of `order`, one after the other.
struct Delivered {
  std::string_view format;
  std::int32_t head;
  std::string content;
  bool operator==(const Delivered&) const = default;
};

/// Takes all frames that `stream` holds whole and returns the bytes behind them.
std::size_t take_frames(Bytes stream, std::span<const std::string_view> order,
                        std::vector<Delivered>& into) {
  std::size_t at = 0;
  for (bool more = true; more && at < stream.size();) {
    REQUIRE(into.size() < order.size());
    const std::string_view name = order[into.size()];
    const bool known =
        with_codec(name, Limits(), [&](auto& codec) {
          // A copy of what has come: a read beyond would be one outside the heap.
          std::vector<std::byte> part(stream.begin() + std::ptrdiff_t(at), stream.end());
          part.shrink_to_fit();
          Frame frame;
          Message message;
          const auto error = decode_frame(codec, part, Limits(), frame, message);
          more = !error;
          if (error) {
            REQUIRE(error.kind == DecodeErrorKind::need_more_data);
            REQUIRE(error.offset > part.size());
            return;
          }
          into.push_back({name, message.head, std::string(message.content)});
          at += frame.size;
        }).has_value();
    REQUIRE(known);
  }
  return at;
}

}  // namespace

TEST_CASE("a stream of mixed formats says the same wherever it is cut") {
  constexpr std::array<std::string_view, 5> kContents = {"", "plain", "a \"quote\"\n",
                                                         "\u4f60\u597d \U0001F600",
                                                         "of the length at which forms change"};
  std::vector<std::string_view> order;
  std::vector<std::byte> stream;
  std::vector<Delivered> expected;
  for (std::size_t turn = 0; turn < kContents.size(); ++turn) {
    for (const std::string_view name : Codecs::kNames) {
      const auto head = static_cast<std::int32_t>(turn * 8191) * (turn % 2 == 0 ? 1 : -1);
      const Message message{head, -1, kContents[(turn + order.size()) % kContents.size()]};
      const auto done = with_codec(name, Limits(), [&](auto& codec) {
        std::vector<std::byte> to(max_frame_size(codec, message));
        to.resize(encode_frame(codec, message, to));
        stream.insert(stream.end(), to.begin(), to.end());
      });
      REQUIRE(done.has_value());
      order.push_back(name);
      expected.push_back({name, head, std::string(message.content)});
    }
  }
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    std::vector<Delivered> seen;
    const std::size_t taken = take_frames(Bytes(stream).first(cut), order, seen);
    REQUIRE(taken <= cut);
    REQUIRE(taken + take_frames(Bytes(stream).subspan(taken), order, seen) == stream.size());
    REQUIRE(seen == expected);
  }
}

TEST_CASE("a length over the limit is refused before the frame is there") {
  const Limits limits{.frame_size = 0x10000};
  std::array<std::byte, 4> stream{};
  Frame frame;
  for (const Framing framing : {Framing::length_prefix, Framing::bytes_header}) {
    store_le(stream.data(), std::uint32_t{0x10000});
    CHECK(next_frame(framing, stream, limits, frame).kind == DecodeErrorKind::need_more_data);
    store_le(stream.data(), std::uint32_t{0x10001});
    CHECK(next_frame(framing, stream, limits, frame).kind == DecodeErrorKind::too_large);
    store_le(stream.data(), std::uint32_t{0xFFFFFFFF});
    CHECK(next_frame(framing, stream, limits, frame).kind == DecodeErrorKind::too_large);
  }
}

TEST_CASE("a length of 0 is a frame of an empty payload") {
  const std::array<std::byte, 5> stream{};
  Frame frame;
  CHECK_FALSE(next_frame(Framing::length_prefix, stream, Limits(), frame));
  CHECK(frame.size == 4);
  CHECK(frame.packet.empty());
}
