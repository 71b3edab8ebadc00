// The published experiments about codecs, E2, E4 and E6, beside our figures.
#include "codecbench/experiments.h"

#include "codecbench/e2/e2.h"
#include "codecbench/e4/e4.h"
#include "codecbench/e6/e6.h"

namespace wiremark::tools {

void choose_experiment(const std::string& name, Selection& selection) {
  selection.formats = {"all"};
  selection.implementations = {"all"};
  selection.access = {Access::hot, Access::cold};
  if (name == "e2") return choose_e2(selection);
  if (name == "e4") return choose_e4(selection);
  choose_e6(selection);
}

}  // namespace wiremark::tools
