// A netecho of our own at the other end.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/address.h"
#include "netload/load_options.h"
#include "netload/target.h"
#include "shared_gaps.h"

namespace wiremark::tools {

/// A netecho of our own; ended with it, and by the kernel should we die first.
class ServerProcess {
 public:
  enum class Listen {
    tcp,        ///< On a free loopback port.
    unix_path,  ///< On a path in a folder of its own, which goes with it.
    veth,       ///< On a free UDP port of VethPair::kServer, in whose namespace we are.
  };

  /// Starts the netecho that stands beside this program, on `backend` and as `options` say, and
  /// waits until it is ready. Errors: it is not there, or ended early; what it said stands on
  /// standard error.
  static Result<ServerProcess> start(const LoadOptions& options, net::Backend backend,
                                     Listen listen = Listen::tcp);
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;
  ~ServerProcess();

  /// Stops it (SIGSTOP) until go_on(): a server that spins would take its processor from another.
  void pause() const noexcept;
  void go_on() const noexcept;

  /// Its address, its process, and what its loops count.
  Target target() const { return {.address = address_, .pids = {pid_}, .gaps = gaps_}; }
  pid_t pid() const noexcept { return pid_; }
  const net::Address& address() const noexcept { return address_; }

 private:
  explicit ServerProcess(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;  // Of the path it listens on.
  pid_t pid_ = -1;      // None yet.
  net::Address address_;
  std::shared_ptr<const SharedGaps> gaps_;
};

}  // namespace wiremark::tools
