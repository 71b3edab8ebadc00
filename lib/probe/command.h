// What a netload command needs, and whether this machine has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/finding.h"
#include "probe/resource_limits.h"

namespace wiremark::probe {

/// The options of netload that ask for something that can be lacking; the others are passed over.
struct Command {
  std::uint64_t connections = 100;  ///< -c
  std::uint64_t threads = 1;        ///< -t
  std::uint64_t sources = 0;        ///< Addresses of --source-ip, as far as they are listed singly.
  double rate_hz = 0;               ///< -R, or -r of all connections together.
  std::vector<std::string> backends = {"auto"};  ///< --backend, or those of --compare.
  std::string target;                            ///< Empty: netload starts its own server.

  /// "netload -c 50000 -R 10k 10.0.0.2:7007". Errors: not a command of netload, a number that is
  /// none.
  static Result<Command> parse(std::string_view text);

  bool is_unix() const { return target.starts_with("unix:"); }
  /// Whether the server is on this machine and takes its memory and processors.
  bool is_local() const;
};

/// What `command` meets on a machine with these limits.
struct Forecast {
  Findings findings;
  std::string obstacle;  ///< Why it cannot run at all; empty where it can.
};

/// Which of netload's reactors can run.
struct Backends {
  bool epoll = true;
  bool uring = true;
};

Forecast forecast(const Command& command, const Limits& limits, const Backends& can);

/// As above, of this machine.
Forecast forecast(const Command& command);

}  // namespace wiremark::probe
