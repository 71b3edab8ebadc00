// Under which conditions contenders were compared, and which of their runs should be doubted.
#include "netload/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/cpus.h"
#include "measure/quantity.h"
#include "printing.h"

namespace wiremark::tools {

namespace {

// Sentences of several runs, those of one kind together: they differ in their figures only.
class Kinds {
 public:
  void add(const std::string& sentence) {
    std::string name = sentence;
    std::erase_if(name, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; });
    Kind& kind = kinds_[name];
    if (kind.runs++ == 0) kind.first = sentence;
  }
  // Each kind once, by its first sentence.
  void print(std::string_view label, std::string_view runs) const {
    for (const auto& [name, kind] : kinds_)
      print_out("  {:<10} {} of {}: {}\n", label, kind.runs, runs, kind.first);
  }

 private:
  struct Kind {
    std::string first;
    std::size_t runs = 0;
  };
  std::map<std::string, Kind> kinds_;
};

void print_doubts(const std::vector<Contender>& contenders) {
  Kinds notes;
  std::size_t runs = 0;
  for (const Contender& contender : contenders) {
    Kinds broken;
    Kinds reasons;
    runs += contender.rounds.size();
    for (const report::RunResult& round : contender.rounds) {
      for (const report::Check& check : round.checks) {
        if (!check.passed) broken.add(fmt::format("{}: {}", check.name, check.detail));
      }
      const std::size_t told = round.verdict->reasons.size();
      for (std::size_t i = 0; i < round.warnings.size(); ++i)
        (i < told ? reasons : notes).add(round.warnings[i]);
    }
    const std::string rounds =
        measure::format_counted(contender.rounds.size(), "round") + " of " + contender.name;
    broken.print("FAILED", rounds);
    reasons.print("INVALID", rounds);
  }
  notes.print("warning", measure::format_counted(runs, "run"));
}

// "62 to 401 ns apart", over all the rounds that count; empty where unknown.
std::string distance_text(const std::vector<Contender>& contenders) {
  Nanoseconds near = kNever, far = 0;
  for (const Contender& contender : contenders) {
    const auto [nearest, farthest] = distances_of(contender.rounds);
    if (nearest > 0) near = std::min(near, nearest);
    far = std::max(far, farthest);
  }
  if (far == 0) return {};
  if (near == far) return fmt::format(", {} ns apart", far);
  return fmt::format(", {} to {} ns apart", near, far);
}

}  // namespace

void print_conditions(const std::vector<Contender>& contenders, unsigned left_out) {
  const LoadOptions& options = contenders.front().load;
  const report::RunResult& any = contenders.front().rounds.front();
  print_out("\n  client     {} ({})\n", any.path.active, any.path.evidence.front());
  print_out("  processors {}{}\n",
            options.server_cpus.empty()
                ? "not pinned"
                : fmt::format("client on {}, server on {}", format_cpus(options.threads.cpus),
                              format_cpus(options.server_cpus)),
            distance_text(contenders));
  if (left_out > 0) {
    print_out("  left out   {} before or in which the processors came nearer or went apart\n",
              measure::format_counted(left_out, "round"));
  }
  print_out("  machine    {}\n", measure::describe(any.host));
  print_out(
      "  not shown  what a network card or a second machine would change: this is loopback.\n"
      "             Rates move with the machine's neighbours; compare CPU per message.\n");
  print_doubts(contenders);
}

}  // namespace wiremark::tools
