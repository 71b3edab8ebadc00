// What codecbench measured: its run, its cells, and how they stand beside an earlier run.
#include "report/codec_table.h"

#include <algorithm>

namespace wiremark::report {

std::size_t Baseline::count(Answer answer) const {
  return static_cast<std::size_t>(std::ranges::count(changes, answer, &Change::answer));
}

}  // namespace wiremark::report
