// What to do where one generator cannot keep its plan.
#pragma once

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
  load::Share share;                   ///< Its own part; 0 of 1: all of the load.
  double wanted_hz = 0;
  double reached_hz = 0;
};

/// The same load as shares of so many generators that each has 70 % of what this one reached, as
/// commands of a shell.
std::string how_to_share(const FullGenerator& full);

}  // namespace wiremark::tools
