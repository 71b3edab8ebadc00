// By which clock the answers of a run were timed.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace wiremark::tools {

/// What decides by which clock. See ReactorOptions::receive_timestamps.
struct AnswerTiming {
  bool asked = false;           ///< The kernel was asked when it received what came.
  bool tells = false;           ///< It does tell, of this kind of socket.
  std::uint64_t stamped = 0;    ///< Receives of which it told.
  std::uint64_t unstamped = 0;  ///< And of which it should have, and did not.
  Nanoseconds late = 0;         ///< How much later than it came an answer may be read.
};

/// A line of evidence; empty where it would tell nothing that is not a matter of course.
std::string evidence_of(const AnswerTiming& timing);

}  // namespace wiremark::tools
