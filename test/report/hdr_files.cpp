// Writes the histogram of "value count" lines as a log and as a distribution: hdr_files LOG HGRM.
#include <fstream>

#include "report/hdr.h"
#include "value_lines.h"

using namespace wiremark::measure;
using namespace wiremark::report;

int main(int argc, char** argv) {
  const auto histogram = read_value_lines();
  if (!histogram || argc != 3) return 1;
  const std::chrono::system_clock::time_point base(std::chrono::milliseconds(1'795'300'000'250));
  std::ofstream log(argv[1]);
  log << hdr_log_head("hdr_files", base) << hdr_log_line("all", 0.5, 1, *histogram);
  std::ofstream(argv[2]) << hgrm_document(*histogram);
}
