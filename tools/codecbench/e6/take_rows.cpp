// The rows of the take workload (E6).
#include <string_view>

#include "codecbench/e6/take_steps.h"
#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/jansson_library.h"
#include "codecbench/rivals/nlohmann_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "codecbench/rivals/simdjson_documented.h"
#include "codecbench/rivals/simdjson_library.h"
#include "codecbench/rows.h"
#include "wire/flatbuffers/pairs.h"
#include "wire/json/pairs.h"
#include "wire/protobuf/pairs.h"
#include "wire/y3/pairs.h"
#include "wire/y3/walk.h"
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

/// 64-bit numbers stay below 2^53, beyond which libraries that read doubles are not exact.
wire::Value random_value(wire::ValueType type, Random& random) {
  static constexpr std::string_view kText = "abcdefghijklmnop";
  switch (type) {
    case wire::ValueType::text:
      return kText.substr(0, 1 + random.below(kText.size()));
    case wire::ValueType::int32:
      return static_cast<std::int32_t>(random.signed_of_any_length(31));
    case wire::ValueType::uint32:
      return static_cast<std::uint32_t>(random.of_any_length(32));
    case wire::ValueType::int64:
      return random.signed_of_any_length(53);
    case wire::ValueType::uint64:
      return random.of_any_length(53);
    case wire::ValueType::float32:
      return static_cast<float>(random.below(4096)) / 16;
    case wire::ValueType::float64:
      return static_cast<double>(random.below(1 << 20)) / 16;
  }
  return {};
}

}  // namespace

ValueSet::ValueSet(Access access, std::size_t pairs, Random& random) {
  for (unsigned key = 1; key <= pairs; ++key) {
    values_.push_back(access == Access::hot ? wire::pair_value(key)
                                            : random_value(wire::pair_type(key), random));
  }
}

namespace {

CellName take_name(std::string_view format, const std::string& implementation, std::size_t pairs,
                   Access access, Labels labels) {
  return {.workload = "take",
          .shape = "pairs",
          .size = pairs,
          .format = std::string(format),
          .implementation = implementation,
          .op = "take",
          .access = access,
          .labels = labels};
}

/// The rows of one implementation: with the whole packet checked and, under another name, read only
/// as far as the key.
template <wire::Pairs P>
void add_takes(std::vector<Row>& rows, std::size_t pairs, const std::string& whole,
               const std::string& partial, Labels labels) {
  for (const Access access : {Access::hot, Access::cold}) {
    rows.push_back(
        make_row<TakeStep<P, true>>(take_name(P::kName, whole, pairs, access, labels), pairs));
    if (partial.empty()) continue;
    Labels unchecked = labels;
    unchecked.validated = false;
    rows.push_back(make_row<TakeStep<P, false>>(
        take_name(P::kName, partial, pairs, access, unchecked), pairs));
  }
}

template <wire::Pairs P>
void add_encode(std::vector<Row>& rows, std::size_t pairs, const std::string& implementation,
                Labels labels) {
  for (const Access access : {Access::hot, Access::cold}) {
    CellName name = take_name(P::kName, implementation, pairs, access, labels);
    name.op = "encode";
    rows.push_back(make_row<EncodePairsStep<P>>(name, pairs));
  }
}

/// Y3 without vector instructions, on every processor.
class ScalarY3Pairs : public wire::Y3Pairs {
 public:
  explicit ScalarY3Pairs(wire::Limits limits)
      : wire::Y3Pairs(limits, wire::y3::walk_kinds().front()) {}
};

}  // namespace

std::vector<Row> take_rows(std::size_t pairs) {
  std::vector<Row> rows;
  const Labels tree{.result = "copy", .validated = true, .object = "fresh"};
  const Labels parser{.result = "view", .validated = true, .object = "reused"};
  add_encode<wire::ProtobufPairs>(rows, pairs, "own", {});
  add_takes<wire::ProtobufPairs>(rows, pairs, "own", "own-partial", {});
  const Labels message{.result = "copy", .validated = false, .object = "reused"};
  add_encode<LibprotobufPairs>(rows, pairs, "libprotobuf", message);
  add_takes<LibprotobufPairs>(rows, pairs, "libprotobuf", {}, message);
#if WIREMARK_HAS_UPB
  const Labels view{.result = "view", .validated = false, .object = "arena"};
  add_encode<UpbPairs<UpbText::unchecked>>(rows, pairs, "upb", view);
  add_takes<UpbPairs<UpbText::unchecked>>(rows, pairs, "upb", {}, view);
  Labels checked = view;
  checked.validated = true;
  add_encode<UpbPairs<UpbText::utf8>>(rows, pairs, "upb-utf8", checked);
  add_takes<UpbPairs<UpbText::utf8>>(rows, pairs, "upb-utf8", {}, checked);
#endif
  add_encode<wire::JsonPairs>(rows, pairs, "own", {});
  add_takes<wire::JsonPairs>(rows, pairs, "own", "own-partial", {});
  add_takes<DocumentedSimdjsonPairs>(rows, pairs, "simdjson-dom", "simdjson-partial", parser);
  add_takes<SimdjsonPairs>(rows, pairs, "simdjson-strict", "simdjson-strict-partial", parser);
  [[maybe_unused]] const Labels kept{.result = "copy", .validated = true, .object = "reused"};
#if WIREMARK_HAS_YYJSON
  add_encode<YyjsonPairs>(rows, pairs, "yyjson", kept);
  add_takes<YyjsonPairs>(rows, pairs, "yyjson", {}, kept);
#endif
#if WIREMARK_HAS_RAPIDJSON
  add_encode<RapidjsonPairs>(rows, pairs, "rapidjson", kept);
  add_takes<RapidjsonPairs>(rows, pairs, "rapidjson", {}, kept);
#endif
  add_encode<JanssonPairs>(rows, pairs, "jansson", tree);
  add_takes<JanssonPairs>(rows, pairs, "jansson", {}, tree);
  add_encode<NlohmannPairs>(rows, pairs, "nlohmann", tree);
  add_takes<NlohmannPairs>(rows, pairs, "nlohmann", {}, tree);
  add_encode<wire::FlatbuffersPairs>(rows, pairs, "own", {});
  add_takes<wire::FlatbuffersPairs>(rows, pairs, "own", "own-partial", {});
  add_encode<FlatbuffersLibraryPairs>(rows, pairs, "builder", parser);
  add_takes<FlatbuffersLibraryPairs>(rows, pairs, "builder", {}, parser);
  add_encode<wire::Y3Pairs>(rows, pairs, "own", {});
  add_takes<wire::Y3Pairs>(rows, pairs, "own", "own-partial", {});
  add_takes<ScalarY3Pairs>(rows, pairs, "own-scalar", "own-scalar-partial", {});
  add_encode<wire::Y3NvarPairs>(rows, pairs, "own", {});
  add_takes<wire::Y3NvarPairs>(rows, pairs, "own", "own-partial", {});
  return rows;
}

}  // namespace wiremark::tools
