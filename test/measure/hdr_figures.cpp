// Prints the figures of the histogram of "value count" lines, for the oracle to compare.
#include "hdr_figures.h"

#include "value_lines.h"

int main() {
  const auto histogram = wiremark::measure::read_value_lines();
  if (!histogram) return 1;
  std::cout << wiremark::measure::hdr_figures(*histogram) << '\n';
}
