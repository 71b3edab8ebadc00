// The end of a run: what is printed, what is written, and the exit code.
#include "codecbench/bench_report.h"

#include <fmt/format.h>

#include "base/cpus.h"
#include "base/units.h"
#include "codecbench/document.h"
#include "codecbench/experiments.h"
#include "codecbench/shelf.h"
#include "codecbench/simd.h"
#include "codecbench/table.h"
#include "codecbench/targets.h"
#include "codecbench/verdict.h"
#include "measure/quantity.h"
#include "printing.h"
#include "report.h"
#include "report/result.h"
#include "terminal.h"

namespace wiremark::tools {
namespace {

/// "20,100"; fmt::join would do, were it not for a false warning of GCC 12 in fmt 9.
template <class T>
std::string join(const std::vector<T>& items) {
  std::string text;
  for (const T& item : items) text += fmt::format("{}{}", text.empty() ? "" : ",", item);
  return text;
}

std::vector<std::pair<std::string, std::string>> config_of(const Options& options) {
  const Selection& selection = options.selection;
  const Method& method = options.method;
  return {{"format", join(selection.formats)},
          {"impl", selection.implementations.empty() ? "own" : join(selection.implementations)},
          {"workload", join(selection.workloads)},
          {"op", join(selection.ops)},
          {"pairs", join(selection.pairs)},
          {"sizes", join(selection.sizes)},
          {"contents", selection.contents->source},
          {"operations", fmt::format("{}", method.operations)},
          {"duration", fmt::format("{}us", method.cell_time / kMicrosecond)},
          {"repeat", fmt::format("{}", method.repeat)},
          {"threads", fmt::format("{}", method.threads)},
          {"cpus", format_cpus(method.cpus)},
          {"seed", fmt::format("{}", method.seed)}};
}

report::RunResult frame(const Options& options, std::chrono::system_clock::time_point started,
                        const Measurement& measurement) {
  report::RunResult result = new_result("codecbench", options.arguments, started);
  result.role = report::Role::bench;
  result.config = config_of(options);
  result.totals.seconds = measurement.seconds;
  for (const Cell& cell : measurement.cells) {
    result.totals.messages += cell.figures.operations;
    if (cell.figures.refused.empty()) continue;
    result.checks.push_back({cell.name.key(), false, cell.figures.refused});
  }
  result.cpu = report::share_of(measure::cpu_of_this_process(), options.method.threads);
  if (const auto memory = measure::memory_of_process()) {
    result.rss_bytes = memory->resident_bytes_max;
  }
  result.machine = report::share_of(measurement.machine);
  result.host.libraries.push_back("in use: " + simd_in_use());
  result.warnings = judge(options, measurement);
  result.interrupted = measurement.interrupted;
  return result;
}

/// How many operations a batch of each row has, and how many batches were timed.
std::string format_batches(const std::vector<Cell>& cells) {
  std::string text = "\n";
  for (const auto& [name, figures] : cells) {
    text += fmt::format("batches   {:<48} {:>7} x {} operations\n", name.key(), figures.batches,
                        figures.batch_operations);
  }
  return text;
}

std::string footer(const Options& options, const report::RunResult& result,
                   const Measurement& measurement) {
  const Method& method = options.method;
  std::string text = fmt::format("\nmachine   {}\n", measure::describe(result.host));
  text += fmt::format("built     {}, wiremark {}; in use: {}\n", result.host.compiler,
                      result.version, simd_in_use());
  text += fmt::format(
      "method    {} repeats of {} rows in random order, {} thread{}{}, seed {}; batches of "
      "{} us or more\n",
      measurement.repeats, measurement.cells.size(), method.threads, method.threads == 1 ? "" : "s",
      method.cpus.empty() ? ", not pinned" : " on cpu " + format_cpus(method.cpus), method.seed,
      method.batch_time / kMicrosecond);
  text += fmt::format("contents  {}, mean {:.1f} bytes; cold rows walk over {}\n",
                      options.selection.contents->source, options.selection.contents->mean_bytes(),
                      measure::format_size(static_cast<double>(cold_bytes())));
  if (!measurement.counters_unavailable.empty()) {
    text += fmt::format("counters  instructions and cycles n/a ({})\n",
                        measurement.counters_unavailable);
  }
  text += fmt::format(
      "run       {:.1f} s, {} operations, CPU {:.1f} s user {:.1f} s sys, machine {} busy, {} "
      "stolen\n",
      measurement.seconds, measure::format_count(result.totals.messages), result.cpu.user_s,
      result.cpu.sys_s, measure::format_share(result.machine.busy_pct),
      measure::format_share(result.machine.steal_pct));
  for (const std::string& warning : result.warnings) text += "warning   " + warning + "\n";
  return text;
}

/// The table that was asked for: all cells, an experiment's, or the promises.
std::string format_results(const Options& options, const Measurement& measurement) {
  if (options.targets) return format_targets(measurement.cells);
  if (options.experiment.empty())
    return format_table(measurement.cells, wants_colour(options.output.colour));
  return format_experiment(options.experiment, measurement.cells, measurement.parallel);
}

Result<> write_files(const Options& options, const report::RunResult& result,
                     const Measurement& measurement) {
  if (!options.output.csv.empty()) {
    if (auto written = append_csv(options.output.csv, result, measurement.cells); !written)
      return written;
  }
  if (options.output.json.empty()) return {};
  const std::string document = json_document(result, measurement.cells);
  if (options.output.json == "-") {
    write_out(document);
    return {};
  }
  return write_file(options.output.json, document);
}

}  // namespace

int report(const Options& options, std::chrono::system_clock::time_point started,
           const Measurement& measurement, const Baseline& baseline) {
  report::RunResult result = frame(options, started, measurement);
  int code = result.checks.empty() ? kDone : kCheckFailed;
  std::string text = format_results(options, measurement);
  if (options.verbose) text += format_batches(measurement.cells);
  text += footer(options, result, measurement);
  if (!options.baseline.empty()) {
    const auto comparison = compare_with(baseline, measurement.cells, options.tolerance_pct);
    text += format_comparison(comparison, options.baseline, options.tolerance_pct, options.verbose);
    if (comparison.changes.empty()) {
      result.checks.push_back({"baseline", false, "it has no row of this run"});
      code = kCheckFailed;
    }
    for (const Change& change : comparison.changes) {
      if (change.answer != Answer::slower) continue;
      result.checks.push_back({"baseline " + change.key, false, format_interval(change.ratio)});
      code = kCheckFailed;
    }
  }
  const bool text_shown = options.output.json != "-";
  if (text_shown) write_out(text);
  if (!text_shown && !options.output.quiet) {
    for (const std::string& warning : result.warnings) {
      print_err("codecbench: warning: {}\n", warning);
    }
  }
  if (const auto written = write_files(options, result, measurement); !written) {
    return cannot("codecbench", written.error());
  }
  return ending("codecbench", measurement.interrupted ? kInterrupted : code);
}

}  // namespace wiremark::tools
