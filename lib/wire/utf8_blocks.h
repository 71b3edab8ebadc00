// Judges UTF-8 many bytes at once, where the processor can.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace wiremark::wire {

/// Whether the text is UTF-8 as RFC 3629 has it. Reads nothing outside it.
using Utf8Check = bool (*)(Bytes text) noexcept;

/// One way to judge a text, and whether this processor can.
struct Utf8Kind {
  std::string_view name;  ///< "scalar", "avx2", "avx512".
  Utf8Check check;
  bool is_supported;
};

/// All ways this build knows, slowest first; the scalar one is supported everywhere.
std::span<const Utf8Kind> utf8_kinds() noexcept;

}  // namespace wiremark::wire
