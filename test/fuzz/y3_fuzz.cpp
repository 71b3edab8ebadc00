// Fuzz target of Y3: decode anything, round trip, and every walk against the general reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "wire/y3/codec.h"
#include "wire/y3/envelope.h"
#include "wire/y3/packet.h"
#include "wire/y3/pairs.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// A message that was decoded is encoded to a packet that decodes to the same message.
template <y3::Dialect D>
void fuzz_message(Bytes input) {
  const BasicY3Codec<D> codec;
  Message message;
  if (const auto error = codec.decode(input, message)) {
    require(error.offset <= input.size());
    return;
  }
  require(!y3::check_whole(input, {}));
  std::vector<std::byte> packet(codec.max_size(message));
  packet.resize(codec.encode(message, packet));
  packet.shrink_to_fit();
  Message again;
  require(!codec.decode(packet, again));
  require(again == message);
}

void fuzz_envelope(Bytes input) {
  const Y3Envelope codec;
  Envelope envelope;
  std::int32_t type = 0;
  Bytes inner;
  const bool is_routed = !codec.route(input, type, inner);
  if (!codec.decode_nest(input, envelope)) require(is_routed && type == envelope.type);
  if (!codec.decode_union(input, envelope)) require(envelope.type >= 1);
}

// All walks give one answer: the scalar one's, which leans on the general reader.
void fuzz_pairs(Bytes input, unsigned key, ValueType type) {
  for (const bool checked : {false, true}) {
    Value expected;
    DecodeError expected_error;
    for (const y3::WalkKind& walk : y3::walk_kinds()) {
      if (!walk.is_supported) continue;
      const Y3Pairs pairs({}, walk);
      Value value;
      const DecodeError error = checked ? pairs.take_checked(input, key, type, value)
                                        : pairs.take(input, key, type, value);
      if (walk.walk == y3::walk_scalar) {
        expected_error = error;
        expected = value;
        if (checked && !error) require(!y3::check_whole(input, {}));
        continue;
      }
      require(error == expected_error);
      // Two NaN are not equal; the other types say enough about the place of the value.
      const bool is_float = type == ValueType::float32 || type == ValueType::float64;
      if (!error && !is_float) require(value == expected);
    }
  }
}

}  // namespace

/// The first byte picks a key, the second a type; the rest is the packet.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // A copy that ends with its heap block shows a read beyond it.
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> packet(bytes + 2, bytes + size);
  fuzz_message<y3::Dialect::draft01>(packet);
  fuzz_message<y3::Dialect::y3>(packet);
  fuzz_envelope(packet);
  fuzz_pairs(packet, data[0] % 65U, static_cast<ValueType>(data[1] % 7));
  return 0;
}
