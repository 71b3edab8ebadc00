// What a run of a load goes to.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "net/address.h"
#include "shared_gaps.h"

namespace wiremark::tools {

/// An address, and the processes behind it where they are known.
struct Target {
  net::Address address;
  std::vector<pid_t> pids{};  ///< What they start counts as well.
  std::string unknown{};      ///< Why there are none.
  bool found = false;         ///< They were found by their socket, not named or started.
  /// What the loops of a netecho that we started count.
  std::shared_ptr<const SharedGaps> gaps{};
};

}  // namespace wiremark::tools
