// An echo without the kernel: two threads that share memory, the floor under every transport.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "measure/histogram.h"

namespace wiremark::measure {

/// Sends messages of `size` bytes from a thread on `client_cpu` to one on `server_cpu` and back
/// through shared memory, one in flight, for `duration`: the round trips in ns. Each end copies
/// every message in and out, as a socket's user does, and spins; no system call is made. What a
/// transport between two programs does besides comes on top: order, flow control, a protocol, many
/// connections. A round trip holds one reading of the clock, about 20 ns. None where the two are
/// one processor or a thread cannot be had or pinned.
std::optional<Histogram> measure_memory_echo(std::size_t size, Nanoseconds duration, int client_cpu,
                                             int server_cpu);

}  // namespace wiremark::measure
