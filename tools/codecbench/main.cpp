// codecbench: how fast codecs are, and whether the figures can be believed.
#include <chrono>
#include <memory>

#include "base/cpus.h"
#include "codecbench/baseline.h"
#include "codecbench/bench.h"
#include "codecbench/bench_options.h"
#include "codecbench/bench_report.h"
#include "codecbench/experiments.h"
#include "codecbench/progress.h"
#include "codecbench/rows.h"
#include "codecbench/targets.h"
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
  Progress progress(options);
  const auto show = [&progress](const Standing& at) { progress.show(at); };
  auto measurement = run_bench(rows, options.method, stop, show);
  if (measurement && runs_twice) {
    Method parallel = options.method;
    parallel.threads = static_cast<unsigned>(allowed_cpus().size());
    const auto second = run_bench(rows, parallel, stop, show);
    if (second) measurement->parallel = second->cells;
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

  Contents contents = wire::e2_contents();
  if (!options.input.empty()) {
    auto lines = wire::read_contents(options.input);
    if (!lines) return refuse(lines.error());
    contents = std::move(*lines);
  }
  options.selection.contents = std::make_shared<const Contents>(std::move(contents));
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
