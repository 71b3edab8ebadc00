// What a comparison found: the rounds of each backend, as a table and as a document.
#pragma once

#include <string>
#include <vector>

#include "netload/rounds.h"

namespace wiremark::tools {

/// Prints the table, the ratios round by round, and what a reader should know of the conditions.
void print_comparison(const LoadOptions& options, const std::vector<Contender>& contenders,
                      unsigned left_out);

/// The document of schemas/comparison.schema.json.
std::string comparison_document(const std::vector<Contender>& contenders, unsigned left_out);

}  // namespace wiremark::tools
