// codecbench: how fast codecs are, and whether the figures can be believed.
#include <algorithm>
#include <chrono>
#include <memory>

#include "base/cpus.h"
#include "bench/bench.h"
#include "codecbench/baseline.h"
#include "codecbench/bench_options.h"
#include "codecbench/bench_report.h"
#include "codecbench/experiments.h"
#include "codecbench/progress.h"
#include "codecbench/rows.h"
#include "codecbench/targets.h"
#include "measure/available_memory.h"
#include "printing.h"
#include "report.h"
#include "signals.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

int refuse(const Error& error) {
  print_err("codecbench: {}\n", error.message());
  return kUsage;
}

/// The contents of the packets: those that were shipped, or the user's lines in place of the text.
Result<> choose_contents(Options& options) {
  Selection& selection = options.selection;
  selection.packets = shipped_contents();
  if (!options.input.empty()) {
    auto lines = wire::read_contents(options.input);
    if (!lines) return std::unexpected(lines.error());
    for (PacketContents& packets : selection.packets) {
      if (packets.shape != "text") continue;
      packets.contents = std::make_shared<const Contents>(std::move(*lines));
    }
  }
  std::erase_if(selection.packets, [&selection](const PacketContents& packets) {
    return std::ranges::find(selection.contents, packets.shape) == selection.contents.end();
  });
  return {};
}

/// The rows of the experiment, of the promises, or of the options.
std::vector<Row> choose_rows(Options& options) {
  if (!options.experiment.empty()) choose_experiment(options.experiment, options.selection);
  if (options.targets) choose_targets(options.selection);
  return select_rows(options.selection);
}

/// All rows; those of E6 once more, by as many threads as there are processors.
Result<Measurement> measure_rows(const std::vector<Row>& rows, Options& options,
                                 const net::Stop& stop) {
  const bool runs_twice = options.experiment == "e6";
  if (!options.time_given)
    options.method.cell_time = even_share(rows.size() * (runs_twice ? 2 : 1));
  options.method.memory_bytes = measure::available_memory();
  Progress progress(options);
  const auto show = [&progress](const Standing& at) { progress.show(at); };
  auto measurement = run_bench(rows, options.method, stop, show);
  if (measurement && runs_twice) {
    Method parallel = options.method;
    parallel.threads = static_cast<unsigned>(allowed_cpus().size());
    const auto second = run_bench(rows, parallel, stop, show);
    if (second)
      measurement->parallel = second->cells;
    else
      measurement = std::unexpected(second.error());
  }
  progress.clear();
  return measurement;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto over = parse_options(argc, argv, options)) return *over;
  net::Stop stop;
  const Signals signals(stop);
  const auto started = std::chrono::system_clock::now();

  if (const auto known = choose_contents(options); !known) return refuse(known.error());
  std::vector<Cell> before;
  if (!options.baseline.empty()) {
    auto earlier = read_baseline(options.baseline);
    if (!earlier) return refuse(earlier.error());
    before = std::move(*earlier);
  }
  const std::vector<Row> rows = choose_rows(options);
  if (rows.empty()) return refuse({"no row has this format, workload, op and access", 0, {}});
  const auto measurement = measure_rows(rows, options, stop);
  if (!measurement) return cannot("codecbench", measurement.error());
  return tools::report(options, started, *measurement, before);
}
