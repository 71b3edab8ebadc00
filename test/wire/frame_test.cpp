// Frames found in a stream that is cut at every byte.
#include "wire/frame.h"

#include <doctest/doctest.h>

#include <array>
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
