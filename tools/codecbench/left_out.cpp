// What was asked for of libraries that this build does not have.
#include "codecbench/left_out.h"

#include <fmt/format.h>

namespace wiremark::tools {
namespace {

std::string row_of(const OptionalLibrary& library) {
  return fmt::format("{}:{}", library.format, library.implementation);
}

}  // namespace

std::optional<std::string> missing_library(const Selection& selection,
                                           std::span<const OptionalLibrary> libraries) {
  for (const OptionalLibrary& library : libraries) {
    if (library.is_here) continue;
    if (contains(selection.formats, row_of(library)) ||
        contains(selection.implementations, library.implementation)) {
      return fmt::format("{} is not in this build, which was made without {}",
                         library.implementation, library.needs);
    }
  }
  return std::nullopt;
}

std::vector<std::string> left_out(const Selection& selection,
                                  std::span<const OptionalLibrary> libraries) {
  std::vector<std::string> sentences;
  if (!contains(selection.implementations, "all")) return sentences;
  // No library of these has rows of envelopes.
  if (selection.workloads == std::vector<std::string>{"envelope"}) return sentences;
  for (const OptionalLibrary& library : libraries) {
    if (library.is_here) continue;
    if (!contains(selection.formats, "all") && !contains(selection.formats, library.format)) {
      continue;
    }
    sentences.push_back(fmt::format("no rows of {}: this build was made without {}",
                                    row_of(library), library.needs));
  }
  return sentences;
}

}  // namespace wiremark::tools
