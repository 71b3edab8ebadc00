// The rows of the packet workload (E2).
#include <cstdint>
#include <string_view>

#include "codecbench/e2/packet_steps.h"
#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/jansson_library.h"
#include "codecbench/rivals/nlohmann_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "codecbench/rivals/simdjson_library.h"
#include "wire/bytes/codec.h"
#include "wire/flatbuffers/codec.h"
#include "wire/json/codec.h"
#include "wire/protobuf/codec.h"
#include "wire/y3/codec.h"

namespace wiremark::tools {

std::string compare(const wire::Message& sent, const wire::Message& received,
                    wire::DecodeError error, std::size_t index) {
  if (error) return fmt::format("decode of content {}: {}", index + 1, describe(error));
  if (sent != received) return fmt::format("content {} comes back changed", index + 1);
  return {};
}

CopyStep::CopyStep(Access access, const SharedContents& contents, Random& random)
    : messages_(access, *contents, random),
      desk_(
          [this] {
            std::size_t room = 1;
            for (const auto& message : messages_.all()) {
              room = std::max(room, message.content.size());
            }
            return room;
          }(),
          random),
      room_(desk_.room()) {}

double CopyStep::wire_bytes() const {
  double sum = 0;
  for (const auto& message : messages_.all()) sum += static_cast<double>(message.content.size());
  return sum / static_cast<double>(messages_.size());
}

namespace {

/// Which half of a codec is its own; the other half is measured by another row already.
enum class Half : std::uint8_t { both, encode, decode };

/// The hot and cold rows of one implementation of a format: what it does itself, and a roundtrip.
template <wire::Codec C, Half kHalf = Half::both>
void add_codec(std::vector<Row>& rows, const SharedContents& contents,
               const std::string& implementation, Labels labels) {
  for (const Access access : {Access::hot, Access::cold}) {
    CellName name{.workload = "packet",
                  .shape = {},
                  .size = 0,
                  .format = std::string(C::kName),
                  .implementation = implementation,
                  .op = "decode",
                  .access = access,
                  .labels = labels};
    if constexpr (kHalf != Half::encode) {
      rows.push_back(make_row<DecodeStep<C>>(name, contents));
    }
    if constexpr (kHalf != Half::decode) {
      name.op = "encode";
      rows.push_back(make_row<WriteStep<C, false>>(name, contents));
    }
    if constexpr (kHalf == Half::both) {
      name.op = "roundtrip";
      rows.push_back(make_row<WriteStep<C, true>>(name, contents));
    }
  }
}

}  // namespace

std::vector<Row> packet_rows(const SharedContents& contents) {
  std::vector<Row> rows;
  for (const Access access : {Access::hot, Access::cold}) {
    rows.push_back(
        make_row<CopyStep>({.workload = "packet",
                            .shape = {},
                            .size = 0,
                            .format = "bytes",
                            .implementation = "memcpy",
                            .op = "encode",
                            .access = access,
                            .labels = {.result = "copy", .validated = false, .object = "none"}},
                           contents));
  }
  add_codec<wire::BytesCodec>(rows, contents, "own", {});
  add_codec<wire::ProtobufCodec>(rows, contents, "own", {});
  const auto copy = [](const char* object) {
    return Labels{.result = "copy", .validated = false, .object = object};
  };
  add_codec<LibprotobufCodec<ProtobufObject::reused>>(rows, contents, "libprotobuf",
                                                      copy("reused"));
  add_codec<SetLibprotobuf, Half::encode>(rows, contents, "libprotobuf-set", copy("reused"));
  add_codec<LibprotobufCodec<ProtobufObject::fresh>>(rows, contents, "libprotobuf-fresh",
                                                     copy("fresh"));
  add_codec<LibprotobufCodec<ProtobufObject::arena>>(rows, contents, "libprotobuf-arena",
                                                     copy("arena"));
  const Labels tree{.result = "copy", .validated = true, .object = "fresh"};
  const Labels parser{.result = "view", .validated = true, .object = "reused"};
  add_codec<wire::JsonCodec>(rows, contents, "own", {});
  add_codec<SimdjsonCodec, Half::decode>(rows, contents, "simdjson", parser);
  add_codec<JanssonCodec>(rows, contents, "jansson", tree);
  add_codec<NlohmannCodec>(rows, contents, "nlohmann", tree);
  add_codec<wire::FlatbuffersCodec>(rows, contents, "own", {});
  add_codec<FlatbuffersLibrary>(rows, contents, "builder", parser);
  add_codec<wire::Y3Codec>(rows, contents, "own", {});
  add_codec<wire::Y3NvarCodec>(rows, contents, "own", {});
  return rows;
}

}  // namespace wiremark::tools
