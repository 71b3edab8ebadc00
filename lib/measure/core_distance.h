// How far apart two processors are, as a cache line travels.
#pragma once

#include "base/clock.h"

namespace wiremark::measure {

/// Two distances that differ by more than this factor are of two different places. Within one
/// place they repeat to a few per cent; a shared and an unshared cache differ five times.
inline constexpr double kSamePlaceFactor = 1.5;

/// The time in ns that one cache line takes from the first allowed processor to the second and
/// back: the fastest of 300 batches of 10 round trips, so that neither an interrupt nor another
/// process counts. 60 to 105 where the two share a cache and 350 to 420 where they do not; a
/// hypervisor that moves virtual processors between such places changes the cost of a message over
/// loopback three times (1.3 and 4.0 us for 512 bytes). Takes 0.2 to 2 ms and stops after 20 ms. 0
/// with one processor, where no thread can be had, and beside processes that leave no batch alone.
Nanoseconds measure_core_distance();

/// Whether two distances are of one place; also when either is unknown.
bool same_place(Nanoseconds one, Nanoseconds other) noexcept;

}  // namespace wiremark::measure
