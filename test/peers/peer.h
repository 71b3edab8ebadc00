// What every peer shares: its command line, its listeners and its end, so that only loops differ.
#pragma once

#include <cstddef>
#include <string>

namespace peer {

/// The most bytes that a peer asks of one read.
inline constexpr std::size_t kReadSize = 64 * 1024;

/// Unsent bytes of one connection from which on a peer stops reading it: a client that never reads
/// is not read from, as netecho does it.
inline constexpr std::size_t kUnsentMax = 1024 * 1024;

/// Serves one listener, non-blocking and bound, on the calling thread; never returns.
using Serve = void (*)(int listener);

/// Reads `--port-file FILE [--threads N]` (or `--version`, which prints `library`), raises the
/// descriptor limit to the hard one, opens one listener per thread on the same free port of
/// 127.0.0.1 (SO_REUSEPORT, backlog 4096), writes the port to FILE and serves, each listener on a
/// thread of its own. SIGTERM ends the process, and SIGPIPE is ignored. Exits with 2 on a wrong
/// command line, with 3 where a system call fails.
[[noreturn]] void run(int argc, char** argv, const std::string& library, Serve serve);

/// Answers at once instead of gathering small sends: TCP_NODELAY.
void set_no_delay(int socket);

/// Ends the process with 3 and `what` with errno's text on stderr.
[[noreturn]] void fail(const char* what);

}  // namespace peer
