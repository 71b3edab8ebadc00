// The rows of the packet workload (E2).
#include <cstdint>
#include <string_view>

#include "codecbench/e2/called.h"
#include "codecbench/e2/packet_steps.h"
#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/jansson_library.h"
#include "codecbench/rivals/nlohmann_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "codecbench/rivals/simdjson_documented.h"
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

std::string escape_beyond_ascii(std::string_view json) {
  std::string text;
  const auto put_unit = [&text](std::uint32_t unit) { text += fmt::format("\\u{:04x}", unit); };
  for (std::size_t at = 0; at < json.size();) {
    const auto lead = static_cast<unsigned char>(json[at++]);
    if (lead < 0x80) {
      text += static_cast<char>(lead);
      continue;
    }
    std::uint32_t point = lead & (lead < 0xE0 ? 0x1FU : lead < 0xF0 ? 0x0FU : 0x07U);
    for (; at < json.size() && (json[at] & 0xC0) == 0x80; ++at)
      point = point << 6 | (json[at] & 0x3F);
    if (point < 0x10000) {
      put_unit(point);
    } else {
      put_unit(0xD800 + ((point - 0x10000) >> 10));
      put_unit(0xDC00 + (point & 0x3FF));
    }
  }
  return text;
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

/// The rows with the same contents.
class PacketRows {
 public:
  explicit PacketRows(const PacketContents& packets) : packets_(packets) {}

  /// The hot and cold rows of one implementation of a format: what it does itself, and a roundtrip.
  template <wire::Codec C, Half kHalf = Half::both>
  void add(const std::string& implementation, const Labels& labels) {
    for (const Access access : {Access::hot, Access::cold}) {
      if constexpr (kHalf != Half::encode) {
        const CellName name = name_of(C::kName, implementation, "decode", access, labels);
        if (C::kName == "json" && packets_.shape == "escapes") {
          rows_.push_back(make_row<DecodeStep<C, true>>(name, packets_.contents));
        } else {
          rows_.push_back(make_row<DecodeStep<C>>(name, packets_.contents));
        }
      }
      if constexpr (kHalf != Half::decode) {
        const CellName name = name_of(C::kName, implementation, "encode", access, labels);
        rows_.push_back(make_row<WriteStep<C, false>>(name, packets_.contents));
      }
      if constexpr (kHalf == Half::both) {
        const CellName name = name_of(C::kName, implementation, "roundtrip", access, labels);
        rows_.push_back(make_row<WriteStep<C, true>>(name, packets_.contents));
      }
    }
  }

  /// The rows of a codec of ours, inlined into the loop and behind a function pointer.
  template <wire::Codec C>
  void add_own() {
    add<C>("own", {});
    add<Called<C>>("own-called", {});
  }

  void add_copy() {
    for (const Access access : {Access::hot, Access::cold}) {
      const Labels labels{.result = "copy", .validated = false, .object = "none"};
      rows_.push_back(make_row<CopyStep>(name_of("bytes", "memcpy", "encode", access, labels),
                                         packets_.contents));
    }
  }

  std::vector<Row> take() { return std::move(rows_); }

 private:
  CellName name_of(std::string_view format, const std::string& implementation, const char* op,
                   Access access, const Labels& labels) const {
    return {.workload = "packet",
            .shape = packets_.shape,
            .size = 0,
            .format = std::string(format),
            .implementation = implementation,
            .op = op,
            .access = access,
            .labels = labels};
  }

  const PacketContents& packets_;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<Row> packet_rows(const PacketContents& packets) {
  PacketRows rows(packets);
  rows.add_copy();
  rows.add_own<wire::BytesCodec>();
  rows.add_own<wire::ProtobufCodec>();
  const auto copy = [](const char* object) {
    return Labels{.result = "copy", .validated = false, .object = object};
  };
  rows.add<LibprotobufCodec<ProtobufObject::reused>>("libprotobuf", copy("reused"));
  rows.add<SetLibprotobuf, Half::encode>("libprotobuf-set", copy("reused"));
  rows.add<LibprotobufCodec<ProtobufObject::fresh>>("libprotobuf-fresh", copy("fresh"));
  rows.add<LibprotobufCodec<ProtobufObject::arena>>("libprotobuf-arena", copy("arena"));
  const Labels tree{.result = "copy", .validated = true, .object = "fresh"};
  const Labels parser{.result = "view", .validated = true, .object = "reused"};
  rows.add_own<wire::JsonCodec>();
  rows.add<DocumentedSimdjson, Half::decode>(
      "simdjson", {.result = "view", .validated = false, .object = "reused"});
  rows.add<SimdjsonCodec, Half::decode>("simdjson-strict", parser);
  rows.add<JanssonCodec>("jansson", tree);
  rows.add<NlohmannCodec>("nlohmann", tree);
  rows.add_own<wire::FlatbuffersCodec>();
  rows.add<FlatbuffersLibrary>("builder", parser);
  rows.add_own<wire::Y3Codec>();
  rows.add_own<wire::Y3NvarCodec>();
  return rows.take();
}

}  // namespace wiremark::tools
