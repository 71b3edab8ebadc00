// What netprobe found, as text of 80 columns and as a JSON document.
#pragma once

#include <string>

#include "probe/finding.h"

namespace wiremark::probe {

struct Report {
  std::string version;  ///< Of wiremark.
  std::string machine;  ///< One line.
  Findings findings;
  std::string command;   ///< What was asked about with --for; empty: nothing.
  std::string obstacle;  ///< Why that command cannot run; empty: it can.
};

std::string text_of(const Report& report);

/// "wiremark.probe/1"; schemas/probe.schema.json says what stands in it.
std::string json_of(const Report& report);

}  // namespace wiremark::probe
