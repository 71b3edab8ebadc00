// What the exit of a tool says.
#pragma once

namespace wiremark::tools {

enum ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kCannot = 3,  ///< This machine or the target cannot; the message names the fix.
  kTooManyErrors = 4,  ///< Or no message was measured.
  kInterrupted = 130,
};

}  // namespace wiremark::tools
