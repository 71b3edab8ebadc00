// The protobuf codec by itself and against libprotobuf.
#include <message.pb.h>

#include "codec_fuzz.h"
#include "wire/protobuf/codec.h"
#include "wire/utf8.h"

using namespace wiremark;
using namespace wiremark::wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ExactCopy packet(fuzz::input(data, size));
  ProtobufCodec codec;
  Message message;
  const bool accepted = fuzz::decode_anything(codec, packet.view(), message);
  const Message own = fuzz::as_message(packet.view());
  fuzz::round_trip(codec, own, is_utf8(as_bytes(own.content)));

  proto::Packet library;
  const bool read =
      library.ParsePartialFromArray(data, static_cast<int>(size)) && library.IsInitialized();
  if (accepted) {
    fuzz::require(read && library.head() == message.head && library.guid() == message.guid &&
                  library.content() == message.content);
  } else if (read) {
    // Our own rules: UTF-8, the tenth byte of a varint, and groups 33 deep.
    const DecodeErrorKind kind = codec.decode(packet.view(), message).kind;
    fuzz::require(kind == DecodeErrorKind::invalid_utf8 ||
                  kind == DecodeErrorKind::malformed_varint ||
                  kind == DecodeErrorKind::invalid_tag || kind == DecodeErrorKind::depth_exceeded);
  }
  return 0;
}
