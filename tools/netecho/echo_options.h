// The options of netecho.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netecho/protocol.h"
#include "netecho/staged.h"
#include "options.h"
#include "reactor_options.h"

namespace wiremark::tools {

/// 1 GiB, enough for 4,096 clients that do not read, at 256 KiB each; or a quarter of the memory of
/// a smaller machine.
std::size_t default_max_memory();

struct EchoOptions {
  std::vector<std::string> listen = {":7007"};
  FamilyOptions family;
  BackendOptions backend;
  ProtocolOptions protocol;
  StageOptions stages;
  ThreadOptions threads;
  TimeOptions time;
  OutputOptions output;
  std::string port_file;
  unsigned backlog = 4096;
  unsigned max_connections = 0;                   ///< 0: no limit.
  std::size_t max_memory = default_max_memory();  ///< The most memory that waits with clients.
  Nanoseconds idle_timeout = 0;                   ///< 0: none.
  int gaps_fd = -1;  ///< Where netload reads how its loops fare; -1: nowhere.

  bool has_udp() const;
};

/// Describes the command line; parsing it fills in `options`.
void add_options(CommandLine& line, EchoOptions& options);

/// A usage error that names the options and the fix; empty if all go together.
std::string_view conflict_in(const EchoOptions& options);

}  // namespace wiremark::tools
