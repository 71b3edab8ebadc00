// netprobe: what this kernel, its limits, the container and the network card allow, tried.
#include <fmt/format.h>

#include <string>

#include "base/output_file.h"
#include "measure/machine.h"
#include "options.h"
#include "printing.h"
#include "probe/command.h"
#include "probe/report.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netprobe                                 what can be had, what changes it
  netprobe --for 'netload -c 50000'        whether this command can run
  netprobe --json=before.json              the same as a document)";

struct ProbeOptions {
  std::string command;
  std::string json;
};

void add_options(CommandLine& line, ProbeOptions& options) {
  line.add_text("--for", options.command, "COMMAND",
                "Say what a command of netload would meet, and exit with 3 where it cannot run "
                "(everything is probed)");
  line.add_output(
      "--json", options.json,
      "Write a JSON document to FILE, or in place of the text to standard output (text)");
}

Result<probe::Report> probe_for(const ProbeOptions& options) {
  probe::Report report{.version = WIREMARK_VERSION,
                       .machine = {},
                       .findings = {},
                       .command = options.command,
                       .obstacle = {}};
  measure::Machine machine = measure::this_machine();
  machine.wake_cost_ns = measure::measure_wake_cost();
  report.machine = measure::describe(machine);
  if (options.command.empty()) {
    report.findings = probe::probe_all();
    return report;
  }
  const auto command = probe::Command::parse(options.command);
  if (!command) return std::unexpected(command.error());
  probe::Forecast forecast = probe::forecast(*command);
  report.findings = std::move(forecast.findings);
  report.obstacle = std::move(forecast.obstacle);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  end_without_memory("netprobe");
  ProbeOptions options;
  CommandLine line("netprobe",
                   "Tries what this kernel, its limits and the processors allow, and says what\n"
                   "changes it.",
                   kExamples);
  add_options(line, options);
  line.check([&options]() -> Result<> {
    if (options.command.empty()) return {};
    if (auto command = probe::Command::parse(options.command); !command)
      return std::unexpected(command.error());
    return {};
  });
  if (const auto code = line.parse(argc, argv)) return *code;
  const auto report = probe_for(options);
  if (!report) {
    print_err("netprobe: {}\n", report.error().message());
    return ending("netprobe", kCannot);
  }
  write_out(options.json == kStandardOutput ? probe::json_of(*report) : probe::text_of(*report));
  if (!options.json.empty() && options.json != kStandardOutput) {
    if (auto written = replace_file(options.json, probe::json_of(*report)); !written) {
      print_err("netprobe: {}\n", written.error().message());
      return ending("netprobe", kCannot);
    }
  }
  if (!report->obstacle.empty()) {
    print_err("netprobe: it cannot run: {}\n", report->obstacle);
    return ending("netprobe", kCannot);
  }
  return ending("netprobe", kDone);
}
