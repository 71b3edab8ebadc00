// netreport: results in JSON, added into one or turned into another form.
#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <variant>

#include "options.h"
#include "printing.h"
#include "report.h"
#include "report/hdr.h"
#include "report/json.h"
#include "report/merge.h"
#include "report/study.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netreport one.json                       the result as text again
  netreport a.json b.json --json           two netloads that ran at once
  netreport comparison.json                a study of several runs
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

Result<std::vector<report::Document>> read_documents(const std::vector<std::string>& files) {
  std::vector<report::Document> documents;
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
    auto document = report::parse_document(text.view());
    if (!document) return failed(file + ": " + document.error().message(), {}, 0);
    if (files.size() > 1 && !std::holds_alternative<report::RunResult>(*document)) {
      return failed(file + ": a study of several runs cannot be added up (name it alone)", {}, 0);
    }
    documents.push_back(std::move(*document));
  }
  return documents;
}

// The percentiles that were asked for, in place of those that the runs had printed.
Result<> print_others(report::RunResult& result, const std::vector<double>& percentiles) {
  if (percentiles.empty()) return {};
  const auto again = [&](report::LatencySummary& latency) -> Result<> {
    const auto histogram = report::restore(latency);
    if (!histogram) return std::unexpected(histogram.error());
    latency = report::summarize(*histogram, latency.from, percentiles, latency.unanswered);
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

template <class Study>
Result<> run_study(const Study& study, const ReportOptions& options) {
  const LatencyOptions& latency = options.latency;
  if (!options.output.csv.empty() || !latency.hgrm.empty() || !latency.hdr_log.empty() ||
      !latency.percentiles.empty()) {
    return failed(
        "a study of several runs has text and JSON (leave out --csv, --hgrm, --hdr-log "
        "and --percentiles)",
        {}, 0);
  }
  return deliver(study, options.output);
}

Result<> run_results(std::span<const report::RunResult> results, const ReportOptions& options,
                     const std::vector<std::string>& arguments) {
  const auto order = options.in_turn ? report::Order::in_turn : report::Order::at_once;
  auto result = report::merge(results, order);
  if (!result) return std::unexpected(result.error());
  if (results.size() > 1) {
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

Result<> run(const ReportOptions& options, const std::vector<std::string>& arguments) {
  const auto documents = read_documents(options.files);
  if (!documents) return std::unexpected(documents.error());
  std::vector<report::RunResult> results;
  for (const report::Document& document : *documents) {
    if (const auto* result = std::get_if<report::RunResult>(&document)) results.push_back(*result);
  }
  if (!results.empty()) return run_results(results, options, arguments);
  return std::visit(
      [&]<class Study>(const Study& study) -> Result<> {
        if constexpr (std::is_same_v<Study, report::RunResult>)
          return {};
        else
          return run_study(study, options);
      },
      documents->front());
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
