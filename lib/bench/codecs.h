// Codecs of one's own beside those of wiremark: their rows, and the table they end in. Stable.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/bench.h"
#include "bench/packet_steps.h"
#include "bench/subject.h"
#include "wire/codec.h"
#include "wire/codecs.h"
#include "wire/contents.h"

namespace wiremark::bench {

/// Whether `C` is one of wiremark's own, which refuse every malformed packet and copy nothing.
/// Of another codec nothing of the kind is known.
template <class C, wire::Codec... Own>
constexpr bool is_own(wire::CodecList<Own...>) noexcept {
  return (std::same_as<C, Own> || ...);
}

/// Adds the rows of `C`: packets with the contents called `shape` encoded and decoded, hot and
/// cold.
template <wire::Codec C>
void add_packet_rows(std::vector<Row>& rows, const std::string& shape,
                     const SharedContents& contents) {
  constexpr bool kOwn = is_own<C>(wire::Codecs());
  for (const Access access : {Access::hot, Access::cold}) {
    CellName name{.workload = "packet",
                  .shape = shape,
                  .size = 0,
                  .format = std::string(C::kName),
                  .implementation = "own",
                  .op = "encode",
                  .access = access,
                  .labels = {.result = kOwn ? "view" : "", .validated = kOwn, .object = "none"}};
    rows.push_back(make_row<WriteStep<C, false>>(name, contents));
    name.op = "decode";
    rows.push_back(make_row<DecodeStep<C>>(name, contents));
  }
}

/// Measures `rows` and tells it to people: a table, the machine, what speaks against the figures,
/// and what they let be concluded. Errors: those of run_bench().
Result<std::string> time_rows(const std::vector<Row>& rows, const Method& method);

/// Times the codecs side by side in every repeat, with the 22 ASCII texts of E2 and with 22 texts
/// of many scripts, and tells it as time_rows() does. A codec that gives back another message than
/// it was given is refused: its row says which one, and has no figures.
template <wire::Codec... C>
Result<std::string> time_codecs(const Method& method = {}) {
  const auto ascii = std::make_shared<const wire::Contents>(wire::e2_contents());
  const auto text = std::make_shared<const wire::Contents>(wire::script_contents());
  std::vector<Row> rows;
  (add_packet_rows<C>(rows, "ascii", ascii), ...);
  (add_packet_rows<C>(rows, "text", text), ...);
  return time_rows(rows, method);
}

}  // namespace wiremark::bench
