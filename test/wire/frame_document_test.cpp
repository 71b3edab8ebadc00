// The hex examples of schemas/frame.md against what the codecs write.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "wire/codecs.h"
#include "wire/flatbuffers/envelope.h"
#include "wire/flatbuffers/pairs.h"
#include "wire/frame.h"
#include "wire/json/pairs.h"
#include "wire/protobuf/envelope.h"
#include "wire/protobuf/pairs.h"
#include "wire/vectors.h"
#include "wire/y3/envelope.h"
#include "wire/y3/pairs.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

using Examples = std::map<std::string, std::string>;

// The blocks of the document: what stands behind ```hex, and the digits without blanks.
Examples documented() {
  std::ifstream file(WIREMARK_SCHEMAS "/frame.md");
  REQUIRE(file.good());
  Examples examples;
  std::string* block = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```hex ")) {
      block = &examples[line.substr(7)];
      REQUIRE(block->empty());
    } else if (line.starts_with("```")) {
      block = nullptr;
    } else if (block != nullptr) {
      *block += test::to_hex(test::from_hex(line.substr(0, line.find('#'))));
    }
  }
  return examples;
}

std::string written(std::size_t room, const std::function<std::size_t(MutableBytes)>& write) {
  std::vector<std::byte> to(room);
  const std::size_t size = write(to);
  REQUIRE(size > 0);
  return test::to_hex(Bytes(to).first(size));
}

std::string frame_of(std::string_view format, const Message& message) {
  return with_codec(format, Limits(),
                    [&](auto& codec) {
                      return written(max_frame_size(codec, message), [&](MutableBytes to) {
                        return encode_frame(codec, message, to);
                      });
                    })
      .value();
}

template <EnvelopeCodec E>
void add_envelopes(Examples& examples) {
  const Envelope envelope{7, as_bytes("abc")};
  E codec{Limits()};
  const std::string name(E::kName);
  const std::size_t room = codec.max_size(envelope);
  examples[name + " nest"] =
      written(room, [&](MutableBytes to) { return codec.encode_nest(envelope, to); });
  examples[name + " union"] =
      written(room, [&](MutableBytes to) { return codec.encode_union(envelope, to); });
}

template <Pairs P>
void add_pairs(Examples& examples) {
  P pairs{Limits()};
  const auto values = std::span(kPairValues).first(3);
  examples[std::string(P::kName) + " pairs of 3"] =
      written(pairs.max_size(values), [&](MutableBytes to) { return pairs.encode(values, to); });
}

Examples all_written() {
  Examples examples;
  for (const std::string_view name : Codecs::kNames) {
    examples[std::string(name) + " frame"] = frame_of(name, {567, 15, "abc"});
    examples[std::string(name) + " frame of a negative guid"] = frame_of(name, {567, -1, "abc"});
  }
  add_envelopes<ProtobufEnvelope>(examples);
  add_envelopes<FlatbuffersEnvelope>(examples);
  add_envelopes<Y3Envelope>(examples);
  add_pairs<ProtobufPairs>(examples);
  add_pairs<FlatbuffersPairs>(examples);
  add_pairs<JsonPairs>(examples);
  add_pairs<Y3Pairs>(examples);
  return examples;
}

}  // namespace

TEST_CASE("every example of the document is what a codec writes") {
  const Examples examples = documented();
  const Examples right = all_written();
  for (const auto& [label, hex] : examples) {
    CAPTURE(label);
    REQUIRE(right.contains(label));
    CHECK(hex == right.at(label));
  }
  for (const std::string_view name : Codecs::kNames) {
    CAPTURE(name);
    CHECK(examples.contains(std::string(name) + " frame"));
  }
}
