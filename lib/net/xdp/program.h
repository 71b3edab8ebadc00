// What the kernel runs for each frame of an interface: those for one UDP address go to AF_XDP
// sockets, and all others pass.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/address.h"
#include "net/xdp/mode.h"

namespace wiremark::net {

namespace xdp {

/// bpf(2), which the C library has no function for.
int bpf(int command, bpf_attr& attributes) noexcept;

/// XDP_REDIRECT to the socket of the queue in `map` for UDP without options, extension headers or
/// fragments to exactly this address and port; XDP_PASS for all else, and while the map has no
/// socket for the queue.
std::vector<bpf_insn> assemble(const Address& address, int map);

/// The same for what comes from exactly `to` to the host of `from`, to a port that `ports` has: an
/// array in which each place is a port as a frame has it.
std::vector<bpf_insn> assemble_replies(const Address& to, const Address& from, int map, int ports);

/// A program at an interface, and the map of its sockets. The kernel takes it off with the last
/// descriptor of its link, so also when the process is killed.
class Program {
 public:
  /// Errors: no capability, memory, a kernel without it; each names the fix.
  static Result<Program> load(const Address& address, unsigned queues);
  /// For the replies of `to` to the ports of `from` that take_port() names.
  static Result<Program> load_replies(const Address& to, const Address& from, unsigned queues);

  /// Attaches it; `automatic` takes the driver's mode where there is one. Waits up to 500 ms while
  /// the interface still has the program of a process that is being torn down (EBUSY).
  Result<> attach(unsigned interface, XdpMode mode);
  /// Frames of this queue go to the socket.
  Result<> direct(unsigned queue, int socket);
  /// Replies to this port are taken from now on.
  Result<> take_port(std::uint16_t port);

  XdpMode mode() const noexcept { return mode_; }
  int fd() const noexcept { return program_.get(); }

 private:
  Result<> make_map(unsigned queues);
  Result<> load_code(const std::vector<bpf_insn>& code);

  Fd map_;
  Fd ports_;
  Fd program_;
  Fd link_;
  XdpMode mode_ = XdpMode::automatic;
};

/// The error of a call that AF_XDP needs, with what to do about it.
std::unexpected<Error> refused(std::string call, int error);

/// So often is an interface or a queue asked for again, 1 ms apart.
inline constexpr int kTries = 500;

}  // namespace xdp

}  // namespace wiremark::net
