// The bytes codec and both framings.
#include "codec_fuzz.h"
#include "wire/bytes/codec.h"
#include "wire/frame.h"

using namespace wiremark;
using namespace wiremark::wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ExactCopy packet(fuzz::input(data, size));
  BytesCodec codec;
  Message message;
  fuzz::decode_anything(codec, packet.view(), message);
  fuzz::round_trip(codec, fuzz::as_message(packet.view()));
  for (const Framing framing : {Framing::length_prefix, Framing::bytes_header}) {
    Frame frame;
    const DecodeError error = next_frame(framing, packet.view(), Limits(), frame);
    if (!error) fuzz::require(frame.size <= size && frame.packet.size() <= frame.size);
  }
  return 0;
}
