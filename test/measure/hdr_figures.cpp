// Prints the figures of the histogram of "value count" lines, for the oracle to compare.
// A blank line begins another histogram; all are merged at the end.
#include <iostream>
#include <sstream>
#include <string>

#include "hdr_figures.h"

using namespace wiremark::measure;

int main() {
  Histogram whole;
  Histogram part;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) {
      whole.merge(part);
      part.clear();
      continue;
    }
    std::uint64_t value = 0;
    std::uint64_t count = 0;
    if (!(std::istringstream(line) >> value >> count)) return 1;
    part.record_many(value, count);
  }
  whole.merge(part);
  std::cout << hdr_figures(whole) << '\n';
}
