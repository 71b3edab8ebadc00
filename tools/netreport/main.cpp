// netreport: results in JSON, added into one or turned into another form.
#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>

#include "options.h"
#include "printing.h"
#include "report.h"
#include "report/hdr.h"
#include "report/json.h"
#include "report/merge.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netreport one.json                       the result as text again
  netreport a.json b.json --json           two netloads that ran at once
  netreport --in-turn *.json               runs that followed one another
  netreport a.json b.json --hgrm all.hgrm  percentiles for a plotter)";

struct ReportOptions {
  std::vector<std::string> files;
  bool in_turn = false;
  OutputOptions output;
  LatencyOptions latency;
};

void add_options(CommandLine& line, ReportOptions& options) {
  line.add_operands("FILE", options.files, "Results in JSON, as --json=FILE writes them");
  line.add_flag("--in-turn", options.in_turn,
                "The runs followed one another: add their time up (they ran at once)");
  line.add(options.output);
  line.add_colour(options.output);
  line.add(options.latency);
}

Result<std::vector<report::RunResult>> read_results(const std::vector<std::string>& files) {
  std::vector<report::RunResult> results;
  std::map<std::string, std::string> known;  // The documents, and the file that each is in.
  for (const std::string& file : files) {
    errno = 0;  // An empty file is no failure to read it.
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || (!text && errno != 0)) return failed("read", file);
    const auto [same, is_new] = known.emplace(text.str(), file);
    if (!is_new) {
      return failed(file + ": the same result as " + same->second +
                        ", which would count twice (name each once)",
                    {}, 0);
    }
    auto result = report::parse_result(text.view());
    if (!result) return failed(file + ": " + result.error().message(), {}, 0);
    results.push_back(std::move(*result));
  }
  return results;
}

// The percentiles that were asked for, in place of those that the runs had printed.
Result<> print_others(report::RunResult& result, const std::vector<double>& percentiles) {
  if (percentiles.empty()) return {};
  const auto again = [&](report::LatencySummary& latency) -> Result<> {
    const auto histogram = report::restore(latency);
    if (!histogram) return std::unexpected(histogram.error());
    latency = report::summarize(*histogram, latency.from, percentiles);
    return {};
  };
  if (auto done = again(result.latency); !done) return done;
  for (auto* latency : {&result.service, &result.lateness, &result.connect}) {
    if (!*latency) continue;
    if (auto done = again(**latency); !done) return done;
  }
  return {};
}

// A whole run is one interval: what lay between its live lines is not in the document.
Result<> write_log(const report::RunResult& result, const std::string& file) {
  if (file.empty()) return {};
  std::string text = report::hdr_log_head("netreport", report::parse_moment(result.started));
  const auto add = [&](const char* tag, const report::LatencySummary& latency) -> Result<> {
    const auto histogram = report::restore(latency);
    if (!histogram) return std::unexpected(histogram.error());
    text += report::hdr_log_line(tag, 0, result.totals.seconds, *histogram);
    return {};
  };
  if (auto added = add("latency", result.latency); !added) return added;
  if (result.service) {
    if (auto added = add("service", *result.service); !added) return added;
  }
  if (result.lateness) {
    if (auto added = add("lateness", *result.lateness); !added) return added;
  }
  return write_file(file, text);
}

Result<> run(const ReportOptions& options, const std::vector<std::string>& arguments) {
  const auto results = read_results(options.files);
  if (!results) return std::unexpected(results.error());
  const auto order = options.in_turn ? report::Order::in_turn : report::Order::at_once;
  auto result = report::merge(*results, order);
  if (!result) return std::unexpected(result.error());
  if (results->size() > 1) {
    result->argv = arguments;
    // What each run could hold may be too much for the sum.
    if (auto whole = report::parse_result(report::json_line(*result)); !whole)
      return failed("the sum: " + whole.error().message(), {}, 0);
  }
  if (auto done = print_others(*result, options.latency.percentiles); !done) return done;
  if (auto done = deliver(*result, options.output); !done) return done;
  if (auto done = write_distribution(*result, options.latency); !done) return done;
  return write_log(*result, options.latency.hdr_log);
}

}  // namespace

int main(int argc, char** argv) {
  ReportOptions options;
  CommandLine line("netreport",
                   "Results of netload, netecho and others in JSON: adds several into one,\n"
                   "histogram by histogram, and prints it as text, JSON, CSV or for HdrHistogram.",
                   kExamples);
  add_options(line, options);
  if (const auto exit = line.parse(argc, argv)) return *exit;
  if (options.files.empty()) {
    print_err("netreport: FILE is missing: name one result or more\nTry 'netreport --help'.\n");
    return kUsage;
  }
  const auto done = run(options, line.arguments());
  return ending("netreport", done ? kDone : cannot("netreport", done.error()));
}
