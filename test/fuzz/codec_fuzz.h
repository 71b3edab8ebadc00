// What every fuzz target tries with its codec.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"

namespace wiremark::wire::fuzz {

/// Stops the run: the fuzzer then keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// A copy whose heap block ends with it, so that ASan sees a read beyond.
class ExactCopy {
 public:
  explicit ExactCopy(Bytes from)
      : block_(std::make_unique<std::byte[]>(from.size())), size_(from.size()) {
    if (!from.empty()) std::memcpy(block_.get(), from.data(), from.size());
  }
  Bytes view() const { return {block_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> block_;
  std::size_t size_;
};

inline Bytes input(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

/// Writes `message` and expects to read the same; `readable` says whether the format takes its
/// content.
template <Codec C>
void round_trip(C& codec, const Message& message, bool readable = true) {
  std::vector<std::byte> to(codec.max_size(message));
  const std::size_t size = codec.encode(message, to);
  require(size > 0 && size <= to.size());
  const ExactCopy packet(Bytes(to).first(size));
  Message read;
  const bool refused = static_cast<bool>(codec.decode(packet.view(), read));
  require(refused != readable);
  require(refused || read == message);
}

/// The input as a message: two numbers, then the content.
inline Message as_message(Bytes from) {
  if (from.size() < 8) return {0, 0, as_text(from)};
  return {static_cast<std::int32_t>(load_le<std::uint32_t>(from.data())),
          static_cast<std::int32_t>(load_le<std::uint32_t>(from.data() + 4)),
          as_text(from.subspan(8))};
}

/// Decodes any bytes. What was accepted must survive being written and read again.
template <Codec C>
bool decode_anything(C& codec, Bytes from, Message& message) {
  const DecodeError error = codec.decode(from, message);
  require(error.offset <= from.size());
  if (error) return false;
  const std::vector<char> content(message.content.begin(), message.content.end());
  C second(Limits{});
  round_trip(second, {message.head, message.guid, {content.data(), content.size()}});
  return true;
}

}  // namespace wiremark::wire::fuzz
