// An echo without the kernel: two threads that share memory, the floor under every transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "measure/histogram.h"

namespace wiremark::measure {

/// Sends messages of `size` bytes from a thread on `client_cpu` to one on `server_cpu` and back
/// through shared memory, one in flight, until `trips_max` are there or `duration` is over; returns
/// the round trips in ns. Each end copies every message in and out, as a user of sockets does, and
/// spins; no system call is made. A real transport between two programs has to do more: order, flow
/// control, a protocol, many connections. A round trip includes one reading of the clock, about 20
/// ns. None where the two are one processor, or a thread cannot be had or pinned.
std::optional<Histogram> measure_memory_echo(std::size_t size, Nanoseconds duration,
                                             std::uint64_t trips_max, int client_cpu,
                                             int server_cpu);

}  // namespace wiremark::measure
