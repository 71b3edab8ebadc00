// Prints how far apart two processors are, in ns that a cache line takes there and back; "0" where
// there is only one.
#include <cstdint>
#include <cstdio>

#include "measure/core_distance.h"

int main() { std::printf("%ju\n", std::uintmax_t{wiremark::measure::measure_core_distance()}); }
