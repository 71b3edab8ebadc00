// codecbench: how fast codecs are, and whether the figures can be believed.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "base/cpus.h"
#include "codecbench/bench.h"
#include "codecbench/bench_options.h"
#include "codecbench/bench_report.h"
#include "codecbench/experiments.h"
#include "codecbench/progress.h"
#include "codecbench/rows.h"
#include "codecbench/targets.h"
#include "printing.h"

namespace {

using namespace wiremark;
using namespace wiremark::tools;

std::atomic<bool> stop{false};
std::atomic<bool> told_to_end{false};

/// One closed terminal may send several: each asks for the partial result, and no more.
void on_hangup(int) { stop.store(true); }

/// The first INT or TERM ends the run with a partial result, the second at once.
void on_end(int) {
  if (told_to_end.exchange(true)) ::_exit(kInterrupted);
  stop.store(true);
}

void install_signals() {
  struct sigaction action{};
  action.sa_handler = on_end;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // It stays ignored where it was, as nohup(1) wants it.
  action.sa_handler = on_hangup;
  if (::signal(SIGHUP, SIG_IGN) != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

int fail(const Error& error, int code) {
  print_err("codecbench: {}\n", error.message());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto over = parse_options(argc, argv, options)) return *over;
  install_signals();
  const auto started = std::chrono::system_clock::now();

  Contents contents = wire::e2_contents();
  if (!options.input.empty()) {
    auto lines = wire::read_contents(options.input);
    if (!lines) return fail(lines.error(), kUsage);
    contents = std::move(*lines);
  }
  Baseline baseline;
  if (!options.baseline.empty()) {
    auto earlier = read_baseline(options.baseline);
    if (!earlier) return fail(earlier.error(), kUsage);
    baseline = std::move(*earlier);
  }
  options.selection.contents = std::make_shared<const Contents>(std::move(contents));

  if (!options.experiment.empty()) choose_experiment(options.experiment, options.selection);
  if (options.targets) choose_targets(options.selection);
  const std::vector<Row> rows = select_rows(options.selection);
  if (rows.empty()) return fail({"no row has this format, workload, op and access", 0, {}}, kUsage);
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
  if (!measurement) return fail(measurement.error(), kCannot);
  return report(options, started, *measurement, baseline);
}
