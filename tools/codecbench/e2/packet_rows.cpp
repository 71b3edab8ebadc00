// The rows of the packet workload (E2).
#include <cstdint>
#include <string_view>

#include "bench/packet_steps.h"
#include "codecbench/e2/called.h"
#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/jansson_library.h"
#include "codecbench/rivals/nlohmann_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "codecbench/rivals/simdjson_documented.h"
#include "codecbench/rivals/simdjson_library.h"
#include "codecbench/rows.h"
#include "wire/bytes/codec.h"
#include "wire/flatbuffers/codec.h"
#include "wire/json/codec.h"
#include "wire/protobuf/codec.h"
#include "wire/y3/codec.h"
#if WIREMARK_HAS_RAPIDJSON
#include "codecbench/rivals/rapidjson_library.h"
#endif
#if WIREMARK_HAS_UPB
#include "codecbench/rivals/upb_library.h"
#endif
#if WIREMARK_HAS_YYJSON
#include "codecbench/rivals/yyjson_library.h"
#endif

namespace wiremark::tools {

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
#if WIREMARK_HAS_UPB
  const Labels view{.result = "view", .validated = false, .object = "arena"};
  rows.add<UpbCodec<UpbText::unchecked>>("upb", view);
  Labels checked = view;
  checked.validated = true;
  rows.add<UpbCodec<UpbText::utf8>>("upb-utf8", checked);
#endif
  const Labels tree{.result = "copy", .validated = true, .object = "fresh"};
  const Labels parser{.result = "view", .validated = true, .object = "reused"};
  rows.add_own<wire::JsonCodec>();
  rows.add<DocumentedSimdjson, Half::decode>(
      "simdjson", {.result = "view", .validated = false, .object = "reused"});
  rows.add<SimdjsonCodec, Half::decode>("simdjson-strict", parser);
#if WIREMARK_HAS_YYJSON
  rows.add<YyjsonCodec>("yyjson", {.result = "copy", .validated = true, .object = "reused"});
#endif
#if WIREMARK_HAS_RAPIDJSON
  rows.add<RapidjsonCodec>("rapidjson", {.result = "copy", .validated = true, .object = "reused"});
#endif
  rows.add<JanssonCodec>("jansson", tree);
  rows.add<NlohmannCodec>("nlohmann", tree);
  rows.add_own<wire::FlatbuffersCodec>();
  rows.add<FlatbuffersLibrary>("builder", parser);
  rows.add_own<wire::Y3Codec>();
  rows.add_own<wire::Y3NvarCodec>();
  return rows.take();
}

}  // namespace wiremark::tools
