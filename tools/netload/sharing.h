// What to do where one generator cannot keep its plan.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "load/plan/plan.h"

namespace wiremark::tools {

/// A command line of netload without the options that each share has for itself: its part, its
/// start and the files it writes, which the next share would write over.
std::vector<std::string> what_shares_have_in_common(const std::vector<std::string>& arguments);

/// A load that was too much for one generator.
struct FullGenerator {
  std::vector<std::string> arguments;  ///< Of its command line, the program first.
  bool has_target = false;             ///< One of them is TARGET.
  bool is_rank = false;                ///< netload-mpi started it, and others like it.
  load::Share share;                   ///< Its own part; 0 of 1: all of the load.
  std::size_t connections = 1;         ///< Of the whole load, as wanted_hz.
  double wanted_hz = 0;
  double sent_hz = 0;    ///< By this generator; not 0.
  unsigned threads = 1;  ///< Its own, and...
  unsigned cores = 1;    ///< ...the processors of its machine.
};

/// The same load as shares of so many generators that each has 70 % of what this one sent, as
/// commands of a shell.
std::string how_to_share(const FullGenerator& full);

}  // namespace wiremark::tools
