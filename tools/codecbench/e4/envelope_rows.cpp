// The rows of the envelope workload (E4).
#include "codecbench/e4/envelope_steps.h"
#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "codecbench/rows.h"
#include "wire/flatbuffers/envelope.h"
#include "wire/protobuf/envelope.h"
#include "wire/y3/envelope.h"

namespace wiremark::tools {

EnvelopeSet::EnvelopeSet(Access access, std::size_t bytes, Random& random) {
  const bool cold = access == Access::cold;
  const std::size_t count = item_count(cold, 1, bytes + sizeof(wire::Envelope));
  const std::string body(bytes, 'm');
  for (std::size_t i = 0; i < count; ++i) shelf_.add(as_bytes(body));
  shelf_.seal(random);
  for (std::size_t i = 0; i < count; ++i) {
    const auto type = static_cast<std::int32_t>(1 + random.below(wire::kMaxEnvelopeType));
    envelopes_.push_back({.type = cold ? type : 1, .body = shelf_[i]});
  }
}

namespace {

template <wire::EnvelopeCodec E, EnvelopeKind kKind>
void add_kind(std::vector<Row>& rows, const std::string& shape, std::size_t bytes,
              const std::string& implementation, Labels labels) {
  for (const Access access : {Access::hot, Access::cold}) {
    CellName name{.workload = "envelope",
                  .shape = shape,
                  .size = bytes,
                  .format = std::string(E::kName),
                  .implementation = implementation,
                  .op = "decode",
                  .access = access,
                  .labels = labels};
    rows.push_back(make_row<DecodeEnvelopeStep<E, kKind>>(name, bytes));
    if constexpr (kKind != EnvelopeKind::route) {
      name.op = "encode";
      rows.push_back(make_row<EncodeEnvelopeStep<E, kKind>>(name, bytes));
    }
  }
}

/// Both layouts, and the route of a nest, which looks at the outer message only.
template <wire::EnvelopeCodec E>
void add_envelope(std::vector<Row>& rows, std::size_t bytes, const std::string& implementation,
                  Labels labels) {
  add_kind<E, EnvelopeKind::nest>(rows, "nest", bytes, implementation, labels);
  add_kind<E, EnvelopeKind::union_of_all>(rows, "union", bytes, implementation, labels);
  labels.validated = false;
  add_kind<E, EnvelopeKind::route>(rows, "route", bytes, implementation, labels);
}

}  // namespace

std::vector<Row> envelope_rows(std::size_t bytes) {
  std::vector<Row> rows;
  add_envelope<wire::ProtobufEnvelope>(rows, bytes, "own", {});
  add_envelope<LibprotobufEnvelope>(rows, bytes, "libprotobuf",
                                    {.result = "copy", .validated = false, .object = "reused"});
  add_envelope<wire::FlatbuffersEnvelope>(rows, bytes, "own", {});
  add_envelope<FlatbuffersLibraryEnvelope>(rows, bytes, "builder", {.object = "reused"});
  add_envelope<wire::Y3Envelope>(rows, bytes, "own", {});
  return rows;
}

}  // namespace wiremark::tools
