// How far apart two processors are, as a cache line travels.
#pragma once

#include "base/clock.h"

namespace wiremark::measure {

/// Distances that differ by more than this factor count as different: the host has moved a
/// processor. Where it has not, they repeat to a few per cent; a shared cache or none is a factor
/// of five.
inline constexpr double kSameDistanceFactor = 1.5;

/// The time in ns that one cache line takes from the first allowed processor to the second and
/// back: the fastest of 300 batches of 10 round trips, so that interrupts and other processes do
/// not count. 60 to 105 where the two share a cache and 350 to 420 where they do not. A hypervisor
/// that moves virtual processors between such cores changes the cost of a message over loopback
/// threefold (1.3 and 4.0 us for 512 bytes). Takes 0.2 to 2 ms, and each thread gives up at its
/// first turn after 20 ms; beside busy programs the two meet between those programs' turns, for
/// about 3 ms of processor time. 0 with one processor, where no thread can be had, and where no
/// batch is left undisturbed.
Nanoseconds measure_core_distance();

/// Whether two distances count as the same; also when either is unknown.
bool same_distance(Nanoseconds one, Nanoseconds other) noexcept;

}  // namespace wiremark::measure
