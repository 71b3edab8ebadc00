// The command line of codecbench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "codecbench/rows.h"
#include "options.h"

namespace wiremark::tools {

struct Options {
  Selection selection;
  Method method;
  bool time_given = false;  ///< -d or -n: otherwise the cells share a fixed time.
  std::string input;        ///< A file of contents; empty: the texts of E2.
  std::string baseline;     ///< An earlier JSON result to compare with; empty: none.
  double tolerance_pct = 5;
  std::string experiment;  ///< "e2", "e4", "e6" or empty.
  bool targets = false;
  OutputOptions output;
  ThreadOptions threads;
  bool verbose = false;
  std::vector<std::string> arguments;
};

/// Reads the arguments. A value is the exit code of a run that is over: help or a completion was
/// printed, or standard error says what is wrong.
std::optional<int> parse_options(int argc, char** argv, Options& options);

}  // namespace wiremark::tools
