// Y3 packets of any shape: a reader that skips siblings, a check of a whole tree, a writer.
#include "wire/y3/packet.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wiremark::wire::y3 {

namespace {

// A node that is being walked: where its children end, and whether they are elements of a slice.
struct Level {
  std::size_t end;
  bool is_slice;
};

// Walks from `begin` to the end of `top`, which is `depth` nodes down.
DecodeError walk(Bytes packets, std::size_t begin, Level top, unsigned depth,
                 const Limits& limits) noexcept {
  const unsigned depth_limit = std::min(limits.depth, kDepthMax);
  std::array<Level, kDepthMax + 1> open;
  std::size_t levels = 0;
  open[0] = top;
  std::size_t at = begin;
  while (true) {
    while (at == open[levels].end) {
      if (levels == 0) return {};
      --levels;
    }
    Reader siblings(packets.first(open[levels].end).subspan(at));
    Packet packet;
    if (auto error = siblings.next(packet)) return {error.kind, at + error.offset};
    if (open[levels].is_slice && packet.tag.id() != 0) return {DecodeErrorKind::invalid_tag, at};
    const std::size_t behind = at + siblings.offset();
    if (!packet.tag.is_node()) {
      at = behind;
      continue;
    }
    if (depth + levels >= depth_limit) return {DecodeErrorKind::depth_exceeded, at};
    open[++levels] = {behind, packet.tag.is_slice()};
    at += packet.value_offset;
  }
}

}  // namespace

DecodeError check(Bytes packets, const Limits& limits) noexcept {
  return walk(packets, 0, {packets.size(), false}, 0, limits);
}

DecodeError check_below(Bytes packets, const Packet& node, unsigned depth,
                        const Limits& limits) noexcept {
  const Level top{node.value_offset + node.value.size(), node.tag.is_slice()};
  return walk(packets, node.value_offset, top, depth, limits);
}

DecodeError check_whole(Bytes packet, const Limits& limits) noexcept {
  if (packet.size() > limits.frame_size) return {DecodeErrorKind::too_large, 0};
  Reader reader(packet);
  Packet root;
  if (auto error = reader.next(root)) return error;
  if (root.tag.is_node()) {
    if (auto error = check_below(packet, root, 1, limits)) return error;
  }
  if (!reader.done()) return {DecodeErrorKind::trailing_data, reader.offset()};
  return {};
}

DecodeError packet_size(Bytes stream, const Limits& limits, std::size_t& size) noexcept {
  if (stream.empty()) return {DecodeErrorKind::need_more_data, 0};
  std::size_t length = 0;
  std::size_t length_bytes = 0;
  const DecodeErrorKind error = get_length(stream.subspan(1), length, length_bytes);
  if (error == DecodeErrorKind::truncated) return {DecodeErrorKind::need_more_data, stream.size()};
  if (error != DecodeErrorKind::none) return {error, 1};
  size = 1 + length_bytes + length;
  if (size > limits.frame_size) return {DecodeErrorKind::too_large, 1};
  if (size > stream.size()) return {DecodeErrorKind::need_more_data, stream.size()};
  return {};
}

std::size_t Writer::open(Tag tag) noexcept {
  // Room for the tag and a length of one byte, which is all that most nodes need.
  fits_ = fits_ && to_.size() - at_ >= 2;
  if (!fits_) return 0;
  to_[at_] = std::byte{tag.bits};
  at_ += 2;
  return at_;
}

void Writer::close(std::size_t opened) noexcept {
  if (!fits_) return;
  const std::size_t length = at_ - opened;
  const std::size_t more = length_size(length) - 1;
  fits_ = length <= static_cast<std::size_t>(kLengthMax) && to_.size() - at_ >= more;
  if (!fits_) return;
  if (more > 0) std::memmove(to_.data() + opened + more, to_.data() + opened, length);
  put_length(to_.data() + opened - 1, length);
  at_ += more;
}

void Writer::bytes(unsigned id, Bytes value) noexcept {
  const std::size_t header = 1 + length_size(value.size());
  fits_ = fits_ && value.size() <= static_cast<std::size_t>(kLengthMax) &&
          to_.size() - at_ >= header && to_.size() - at_ - header >= value.size();
  if (!fits_) return;
  to_[at_] = std::byte{primitive_tag(id).bits};
  put_length(to_.data() + at_ + 1, value.size());
  if (!value.empty()) std::memcpy(to_.data() + at_ + header, value.data(), value.size());
  at_ += header + value.size();
}

}  // namespace wiremark::wire::y3
