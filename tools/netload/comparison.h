// What a comparison found: the rounds of each backend, as a table and as a document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "netload/run.h"
#include "netload/server_process.h"

namespace wiremark::tools {

/// All rounds of one backend.
struct Contender {
  net::Backend backend;
  ServerProcess server;
  std::vector<measure::RunResult> rounds;

  template <class Figure>
  std::vector<double> each(Figure figure) const {
    std::vector<double> figures;
    for (const measure::RunResult& round : rounds) figures.push_back(figure(round));
    return figures;
  }
};

/// The nearest and the farthest in ns that the processors were around these runs; 0 where unknown.
std::pair<Nanoseconds, Nanoseconds> distances_of(std::span<const measure::RunResult> runs);

/// Prints the table, the ratios round by round, and what a reader should know of the conditions.
void print_comparison(const LoadOptions& options, const std::vector<Contender>& contenders,
                      unsigned left_out);

/// The document of schemas/comparison.schema.json.
std::string comparison_document(const std::vector<Contender>& contenders, unsigned left_out);

}  // namespace wiremark::tools
