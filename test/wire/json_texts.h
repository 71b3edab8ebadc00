// JSON texts for the tests: what RFC 8259 allows, what it forbids, and packets that hold them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "wire/json_codec.h"
#include "wire/json_walker.h"

namespace wiremark::wire::test {

inline constexpr std::string_view kPlainJson = R"({"head":567,"guid":15,"content":"abc"})";

/// A copy whose heap block ends with the text, so that ASan sees a read beyond.
inline std::vector<std::byte> exact(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  copy.shrink_to_fit();
  return copy;
}

/// A message whose unknown field x has `value`, before, between or behind the known ones.
inline std::string with_unknown(std::string_view value, unsigned place) {
  const std::vector<std::string> fields = {R"("head":567)", R"("guid":15)", R"("content":"abc")"};
  std::string text = "{";
  for (unsigned i = 0; i <= fields.size(); ++i) {
    if (i == place) text.append(R"("x":)").append(value).append(i < fields.size() ? "," : "");
    if (i < fields.size()) text.append(fields[i]).append(i + 1 < fields.size() ? "," : "");
    if (i + 1 == fields.size() && place == fields.size()) text += ',';
  }
  return text + "}";
}

}  // namespace wiremark::wire::test
