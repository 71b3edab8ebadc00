// What codecbench measured as a person reads it, when it has run and when it is read back.
#include "codecbench/codec_text.h"

#include <fmt/format.h>

#include "bench/table.h"
#include "codecbench/baseline.h"
#include "codecbench/e2/e2.h"
#include "codecbench/e4/e4.h"
#include "codecbench/e6/e6.h"
#include "codecbench/targets.h"
#include "measure/codec_conclusion.h"
#include "measure/quantity.h"
#include "report/folding.h"

namespace wiremark::tools {
namespace {

std::string cells_text(const report::CodecTable& codecs, bool colour) {
  switch (codecs.view) {
    case report::View::targets:
      return format_targets(codecs.cells);
    case report::View::e2:
      return format_e2(codecs.cells);
    case report::View::e4:
      return format_e4(codecs.cells);
    case report::View::e6:
      return format_e6(codecs.cells, codecs.parallel);
    case report::View::cells:
      break;
  }
  return bench::format_table(codecs.cells, colour, codecs.verbose);
}

/// How many operations a batch of each row has, and how many batches were timed.
std::string batches_text(const std::vector<Cell>& cells) {
  std::string text = fmt::format("\n{:<62}{:>8}{:>10}\n", "", "batches", "of");
  for (const Cell& cell : cells) {
    text += fmt::format("{:<62}{:>8}{:>10}\n", cell.name.key(), cell.figures.batches,
                        cell.figures.batch_operations);
  }
  return text;
}

}  // namespace

std::string text_report(const report::CodecTable& codecs, bool colour) {
  const report::RunResult& run = codecs.run;
  std::string text = report::folded(cells_text(codecs, colour), 2);
  if (codecs.verbose) text += batches_text(codecs.cells);
  std::string below = fmt::format("\nmachine   {}\n", measure::describe(run.host));
  below += fmt::format("built     {}, wiremark {}; in use: {}\n", run.host.compiler, run.version,
                       codecs.in_use);
  below += fmt::format("method    {}\n", codecs.method);
  below += fmt::format("contents  {}\n", codecs.contents);
  if (!codecs.uncounted.empty())
    below += fmt::format("counters  instructions and cycles n/a ({})\n", codecs.uncounted);
  below += fmt::format(
      "run       {:.1f} s, {} operations, CPU {:.1f} s user {:.1f} s sys, machine {} busy, {} "
      "stolen\n",
      run.totals.seconds, measure::format_count(run.totals.messages), run.cpu.user_s, run.cpu.sys_s,
      measure::format_share(run.machine.busy_pct), measure::format_share(run.machine.steal_pct));
  for (const std::string& warning : run.warnings) below += "warning   " + warning + "\n";
  constexpr std::size_t kValue = 10;
  text += report::folded(below, kValue);
  // Beside an earlier run the last line is how many rows are slower.
  if (codecs.baseline) return text + format_baseline(*codecs.baseline, codecs.verbose);
  const std::string conclusion = measure::conclusion_of(codecs.cells);
  return conclusion.empty() ? text
                            : text + report::folded("conclusion " + conclusion + "\n", kValue + 1);
}

}  // namespace wiremark::tools
