// Envelopes of protobuf and FlatBuffers: any bytes, and round trips.
#include <algorithm>

#include "codec_fuzz.h"
#include "wire/flatbuffers/envelope.h"
#include "wire/protobuf/envelope.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

template <EnvelopeCodec E>
void round_trip(E& codec, const Envelope& envelope) {
  std::vector<std::byte> to(codec.max_size(envelope));
  Envelope read;
  const fuzz::ExactCopy nest(Bytes(to).first(codec.encode_nest(envelope, to)));
  fuzz::require(!codec.decode_nest(nest.view(), read));
  fuzz::require(read.type == envelope.type && std::ranges::equal(read.body, envelope.body));
  const fuzz::ExactCopy one_of(Bytes(to).first(codec.encode_union(envelope, to)));
  fuzz::require(!codec.decode_union(one_of.view(), read));
  fuzz::require(read.type == envelope.type && std::ranges::equal(read.body, envelope.body));
}

template <EnvelopeCodec E>
void try_all(Bytes packet) {
  E codec{Limits()};
  Envelope read;
  std::int32_t type = 0;
  Bytes inner;
  (void)codec.route(packet, type, inner);
  if (!codec.decode_nest(packet, read)) round_trip(codec, read);
  if (!codec.decode_union(packet, read)) round_trip(codec, read);
  if (packet.empty()) return;
  const int any = 1 + std::to_integer<int>(packet[0]) % kMaxEnvelopeType;
  round_trip(codec, {any, packet.subspan(1)});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ExactCopy packet(fuzz::input(data, size));
  try_all<ProtobufEnvelope>(packet.view());
  try_all<FlatbuffersEnvelope>(packet.view());
  return 0;
}
