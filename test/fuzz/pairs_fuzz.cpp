// Pairs of protobuf and FlatBuffers: any bytes, and take_checked() against take().
#include "codec_fuzz.h"
#include "wire/flatbuffers/pairs.h"
#include "wire/pairs.h"
#include "wire/protobuf/pairs.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

template <Pairs P>
void try_all(Bytes packet) {
  P pairs{Limits()};
  for (const unsigned key : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 32U, 63U, 64U}) {
    const ValueType type = key == 0 ? ValueType::text : pair_type(key);
    Value value;
    const DecodeError checked = pairs.take_checked(packet, key, type, value);
    const DecodeError walked = pairs.take(packet, key, type, value);
    fuzz::require(checked.offset <= packet.size() && walked.offset <= packet.size());
    // The stronger one accepts nothing that the weaker one refuses.
    fuzz::require(checked || !walked);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ExactCopy packet(fuzz::input(data, size));
  try_all<ProtobufPairs>(packet.view());
  try_all<FlatbuffersPairs>(packet.view());
  return 0;
}
