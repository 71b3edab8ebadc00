// codecbench: how fast codecs are, and whether the figures can be believed.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "bench.h"
#include "bench_options.h"
#include "bench_report.h"
#include "progress.h"
#include "rows.h"

namespace {

using namespace wiremark;
using namespace wiremark::codecbench;

std::atomic<bool> stop{false};

/// The first INT or TERM ends the run with a partial result, the second at once.
void on_end(int) {
  if (stop.exchange(true)) ::_exit(130);
}

void install_signals() {
  struct sigaction action{};
  action.sa_handler = on_end;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

int fail(const Error& error, int code) {
  fmt::print(stderr, "codecbench: {}\n", error.message());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto over = parse_options(argc, argv, options)) return *over;
  install_signals();
  const auto started = std::chrono::system_clock::now();

  Contents contents = e2_contents();
  if (!options.input.empty()) {
    auto lines = read_contents(options.input);
    if (!lines) return fail(lines.error(), 2);
    contents = std::move(*lines);
  }
  options.selection.contents = std::make_shared<const Contents>(std::move(contents));

  const std::vector<Row> rows = select_rows(options.selection);
  if (rows.empty()) return fail({"no row has this format, workload, op and access", 0, {}}, 2);
  if (!options.time_given) options.method.cell_time = even_share(rows.size());

  Progress progress(options);
  const auto measurement =
      run_bench(rows, options.method, stop, [&progress](const Standing& at) { progress.show(at); });
  progress.clear();
  if (!measurement) return fail(measurement.error(), 3);
  return report(options, started, *measurement);
}
