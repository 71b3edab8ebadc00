// netecho: an echo server that says what every message cost.
#include "netecho/serve.h"
#include "printing.h"
#include "report.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netecho                                  echo on 127.0.0.1:7007
  netecho --backend uring -t 2 --cpus 0,1  two pinned io_uring loops
  netecho '[::1]:0' --port-file port       any free port, written to a file
  netecho -f json                          check and answer messages in JSON
  netecho udp::7007                        answer every datagram to its sender
  netecho --model staged --tick 10ms       receive, process, send: 3 threads
  netecho unix:/tmp/echo.sock -d 10s --json=result.json
Measure it with: netload -c 100 -d 5s 127.0.0.1:7007)";

}  // namespace

int main(int argc, char** argv) {
  EchoOptions options;
  CommandLine line("netecho",
                   "Echo server on epoll or io_uring: sends back what it receives and tells what\n"
                   "each message cost.",
                   kExamples);
  add_options(line, options);
  if (const auto exit = line.parse(argc, argv)) return *exit;
  if (const std::string_view wrong = conflict_in(options); !wrong.empty()) {
    print_err("netecho: {}\n", wrong);
    return kUsage;
  }
  keep_intervals(options.time, options.output);

  net::Stop stop;
  Signals signals(stop);
  EchoRun run;
  if (const auto served = serve(options, stop, signals, run); !served)
    return cannot("netecho", served.error());
  report::RunResult result = run.result(options, line.arguments());
  result.interrupted = (signals.interrupted() || !printed()) && options.time.duration > 0;
  if (const auto written = tools::report(result, options.output); !written)
    return cannot("netecho", written.error());
  return ending("netecho", result.interrupted ? kInterrupted : kDone);
}
