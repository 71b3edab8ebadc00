// Finds frames: both framings start with a length.
#include "wire/frame.h"

namespace wiremark::wire {

DecodeError next_frame(Framing framing, Bytes stream, const Limits& limits, Frame& frame) noexcept {
  const bool prefixed = framing == Framing::length_prefix;
  const std::size_t header = prefixed ? kLengthPrefixSize : kBytesHeaderSize;
  if (stream.size() < kLengthPrefixSize) return {DecodeErrorKind::need_more_data, header};
  const std::size_t length = load_le<std::uint32_t>(stream.data());
  if (length > limits.frame_size) return {DecodeErrorKind::too_large, 0};
  const std::size_t size = header + length;
  if (stream.size() < size) return {DecodeErrorKind::need_more_data, size};
  frame.packet = prefixed ? stream.subspan(header, length) : stream.first(size);
  frame.size = size;
  return {};
}

}  // namespace wiremark::wire
