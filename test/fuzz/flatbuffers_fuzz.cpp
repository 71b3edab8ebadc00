// The flatbuffers codec by itself and against the library's verifier.
#include <message_generated.h>

#include "codec_fuzz.h"
#include "wire/flatbuffers/codec.h"

using namespace wiremark;
using namespace wiremark::wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ExactCopy packet(fuzz::input(data, size));
  FlatbuffersCodec codec;
  Message message;
  const bool accepted = fuzz::decode_anything(codec, packet.view(), message);
  fuzz::round_trip(codec, fuzz::as_message(packet.view()));

  ::flatbuffers::Verifier verifier(data, size);
  const bool verified = fbs::VerifyPacketBuffer(verifier);
  fuzz::require(accepted == verified);
  if (!accepted) return 0;
  const fbs::Packet* library = fbs::GetPacket(data);
  fuzz::require(library->head() == message.head && library->guid() == message.guid &&
                library->content()->string_view() == message.content);
  return 0;
}
