// One line of netprobe: what was tried, what came of it, what shows that, and what changes it.
#include "probe/finding.h"

#include <cstring>
#include <iterator>

namespace wiremark::probe {

std::string_view to_string(Answer answer) noexcept {
  switch (answer) {
    case Answer::yes:
      return "yes";
    case Answer::no:
      return "no";
    case Answer::no_effect:
      return "no effect";
    case Answer::untried:
      return "not tried";
  }
  return "";
}

std::string failure(std::string_view call, int error) {
  return std::string(call) + ": " + std::strerror(error);
}

Findings probe_all() {
  Findings all;
  for (const auto part :
       {probe_uring, probe_epoll, probe_zero_copy, probe_busy_polling, probe_datagrams, probe_xdp,
        probe_stacks, probe_machine, probe_huge_pages, probe_costs, probe_limits}) {
    Findings found = part();
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  return all;
}

std::vector<std::string> machine_evidence() {
  std::vector<std::string> lines;
  for (const Finding& finding : probe_machine()) {
    lines.push_back(finding.what + ": " + std::string(to_string(finding.answer)) + ", " +
                    finding.evidence);
  }
  return lines;
}

}  // namespace wiremark::probe
