// Makes the answer to a message: finds its frame, decodes it, checks it and encodes it again.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/frame.h"

namespace wiremark::tools {

/// What became of the first frame of a stream.
struct Answer {
  std::size_t consumed = 0;      ///< Bytes of the frame; 0 while it is not whole, and on an error.
  Bytes bytes = {};              ///< The answer; valid until the next call.
  wire::DecodeError error = {};  ///< Its offset counts from the start of the frame.
};

/// For one thread; knows nothing of connections. The caller sends the answer or hands it to the
/// next stage.
///
///   kName            the name users write
///   answer(stream)   answers the frame that `stream` starts with
template <class A>
concept Answerer = requires(A answerer, Bytes stream) {
  { A::kName } -> std::convertible_to<std::string_view>;
  { answerer.answer(stream) } -> std::same_as<Answer>;
};

/// Answers the messages of a codec by encoding again what was decoded.
template <wire::Codec C>
class CodecAnswerer {
 public:
  static constexpr std::string_view kName = C::kName;

  CodecAnswerer(C& codec, const wire::Limits& limits) : codec_(codec), limits_(limits) {}

  Answer answer(Bytes stream) {
    wire::Frame frame;
    wire::Message message;
    if (const auto error = wire::decode_frame(codec_, stream, limits_, frame, message)) {
      if (error.kind == wire::DecodeErrorKind::need_more_data) return {};
      return {.error = error};
    }
    const std::size_t room = wire::max_frame_size(codec_, message);
    if (scratch_.size() < room) [[unlikely]]
      scratch_.resize(room);
    const std::size_t size = wire::encode_frame(codec_, message, scratch_);
    return {.consumed = frame.size, .bytes = {scratch_.data(), size}};
  }

 private:
  C& codec_;
  wire::Limits limits_;
  std::vector<std::byte> scratch_;  // Room for the longest answer so far.
};

}  // namespace wiremark::tools
