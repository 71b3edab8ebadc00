// The end of a run: what is printed, what is written, and the exit code.
#include "codecbench/bench_report.h"

#include <fmt/format.h>

#include <iterator>

#include "base/cpus.h"
#include "base/units.h"
#include "bench/shelf.h"
#include "bench/verdict.h"
#include "codecbench/codec_text.h"
#include "codecbench/e4/e4.h"
#include "codecbench/e6/e6.h"
#include "codecbench/left_out.h"
#include "codecbench/simd.h"
#include "measure/quantity.h"
#include "printing.h"
#include "report.h"
#include "report/codec_table.h"
#include "terminal.h"

namespace wiremark::tools {
namespace {

/// "20,100". Not fmt::join, which makes GCC 12 warn falsely with fmt 9.
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
          {"contents", join(selection.contents)},
          {"operations", fmt::format("{}", method.operations)},
          {"duration", fmt::format("{}us", method.cell_time / kMicrosecond)},
          {"repeat", fmt::format("{}", method.repeat)},
          {"threads", fmt::format("{}", method.threads)},
          {"cpus", format_cpus(method.cpus)},
          {"seed", fmt::format("{}", method.seed)}};
}

report::RunResult run_of(const Options& options, std::chrono::system_clock::time_point started,
                         const Measurement& measurement) {
  report::RunResult result = new_result("codecbench", options.arguments, started);
  result.role = report::Role::bench;
  result.config = config_of(options);
  result.totals.seconds = measurement.seconds;
  for (const Cell& cell : measurement.cells) {
    result.totals.messages += cell.figures.operations;
    if (cell.refused) result.checks.push_back({cell.name.key(), false, *cell.refused});
  }
  result.cpu = report::share_of(measure::cpu_of_this_process(), options.method.threads);
  if (const auto memory = measure::memory_of_process()) {
    result.rss_bytes = memory->resident_bytes_max;
  }
  result.machine = report::share_of(measurement.machine);
  result.host.libraries.push_back("in use: " + simd_in_use());
  for (const PacketContents& packets : options.selection.packets) {
    if (!packets.contents->note.empty()) result.warnings.push_back(packets.contents->note);
  }
  std::ranges::move(left_out(options.selection), std::back_inserter(result.warnings));
  std::ranges::move(judge(options.method, measurement), std::back_inserter(result.warnings));
  result.interrupted = measurement.interrupted;
  return result;
}

report::View view_of(const Options& options) {
  if (options.targets) return report::View::targets;
  if (options.experiment == "e2") return report::View::e2;
  if (options.experiment == "e4") return report::View::e4;
  return options.experiment == "e6" ? report::View::e6 : report::View::cells;
}

std::string method_of(const Method& method, const Measurement& measurement) {
  return fmt::format(
      "{} repeats of {} rows in random order, {} thread{}{}, seed {}; batches of {} us or more",
      measurement.repeats, measurement.cells.size(), method.threads, method.threads == 1 ? "" : "s",
      method.cpus.empty() ? ", not pinned" : " on cpu " + format_cpus(method.cpus), method.seed,
      method.batch_time / kMicrosecond);
}

/// What packets carry, and over how much of it cold rows walk.
std::string contents_of(const Selection& selection) {
  std::string text;
  for (const PacketContents& packets : selection.packets) {
    text += fmt::format("{}: {}, mean {:.1f} bytes; ", packets.shape, packets.contents->source,
                        packets.contents->mean_bytes());
  }
  return text + fmt::format("cold rows walk over {}",
                            measure::format_size(static_cast<double>(cold_bytes())));
}

/// What is slower than it was is a check that failed, and so is a baseline without a row of ours.
void add_checks(report::RunResult& run, const Baseline& baseline) {
  if (baseline.changes.empty())
    run.checks.push_back({"baseline", false, "it has no row of this run"});
  for (const Change& change : baseline.changes) {
    if (change.answer == report::Answer::slower)
      run.checks.push_back({"baseline " + change.key, false, format_interval(change.ratio)});
  }
}

}  // namespace

int report(const Options& options, std::chrono::system_clock::time_point started,
           const Measurement& measurement, const std::vector<Cell>& before) {
  report::CodecTable codecs;
  codecs.run = run_of(options, started, measurement);
  codecs.view = view_of(options);
  codecs.verbose = options.verbose;
  codecs.in_use = simd_in_use();
  codecs.method = method_of(options.method, measurement);
  codecs.contents = contents_of(options.selection);
  codecs.uncounted = measurement.counters_unavailable;
  codecs.cells = measurement.cells;
  codecs.parallel = measurement.parallel;
  if (codecs.view == report::View::e4) codecs.published = published_e4(codecs.cells);
  if (codecs.view == report::View::e6) codecs.published = published_e6(codecs.cells);
  if (!options.baseline.empty()) {
    codecs.baseline = compare_with(before, codecs.cells, options.tolerance_pct);
    codecs.baseline->file = options.baseline;
    add_checks(codecs.run, *codecs.baseline);
  }
  print_doubts(codecs, options.output);
  const auto text_of = [&](const report::CodecTable& printable) {
    return text_report(printable, wants_colour(options.output.colour));
  };
  if (const auto done = deliver(codecs, options.output, text_of); !done)
    return cannot("codecbench", done.error());
  const int code = codecs.run.checks.empty() ? kDone : kCheckFailed;
  return ending("codecbench", measurement.interrupted ? kInterrupted : code);
}

}  // namespace wiremark::tools
