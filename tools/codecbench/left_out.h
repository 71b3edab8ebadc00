// What was asked for of libraries that this build does not have.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecbench/rivals/optional.h"
#include "codecbench/rows.h"

namespace wiremark::tools {

/// Why a library that `selection` asks for by name cannot be measured; none if all can.
std::optional<std::string> missing_library(
    const Selection& selection, std::span<const OptionalLibrary> libraries = kOptionalLibraries);

/// A sentence for each library whose rows `selection` would have by "all".
std::vector<std::string> left_out(const Selection& selection,
                                  std::span<const OptionalLibrary> libraries = kOptionalLibraries);

}  // namespace wiremark::tools
