// netreport: results in JSON, added into one or turned into another form.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <tuple>

#include "base/output_file.h"
#include "base/printable.h"
#include "base/units.h"
#include "codecbench/baseline.h"
#include "codecbench/codec_text.h"
#include "measure/quantity.h"
#include "netreport/against.h"
#include "netreport/documents.h"
#include "options.h"
#include "printing.h"
#include "report.h"
#include "report/csv.h"
#include "report/hdr.h"
#include "report/html.h"
#include "report/json.h"
#include "report/merge.h"
#include "report/parts.h"
#include "report/text.h"
#include "terminal.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  netreport one.json                       the result as text again
  netreport a.json b.json --json           two netloads that ran at once
  netreport comparison.json                a study of several runs
  netreport --in-turn *.json               runs that followed one another
  netreport one.json --html=one.html       a page with pictures, for a browser
  netreport a.json b.json --html=ab.html   both on the same axes, not added up
  netreport --against old.json new.json    what became worse: 1 if that is sure
  netreport a.json b.json --hgrm all.hgrm  percentiles for a plotter)";

struct ReportOptions {
  std::vector<std::string> files;
  bool in_turn = false;
  unsigned expect = 0;  ///< Parts of one load; 0: not said.
  Nanoseconds skew_max = 10 * kMillisecond;
  bool strict = false;
  std::vector<std::string> against;
  double tolerance_pct = 5;
  OutputOptions output;
  LatencyOptions latency;
};

void add_options(CommandLine& line, ReportOptions& options) {
  line.reads(
      line.add_operands("FILE", options.files, "Results in JSON, as --json=FILE writes them"));
  const Option in_turn =
      line.add_flag("--in-turn", options.in_turn,
                    "The runs followed one another: add their times up (they ran at once)");
  const Option expect =
      line.add("--expect", options.expect, "N", parse_positive,
               "Refuse to add up anything but N parts of one load, each there once (any number)");
  line.add("--max-skew", options.skew_max, "TIME", parse_duration,
           "With --expect: how far apart the parts may have begun (10ms)")
      .needs(expect);
  expect.excludes(in_turn);
  line.add_flag("--strict", options.strict, "Exit with 1 unless each verdict is VALID");
  const Option against =
      line.add_texts("--against", options.against, "FILE",
                     "Compare FILE with this earlier one; 1 when it is surely worse");
  line.reads(against);
  line.add("--tolerance", options.tolerance_pct, "SHARE", parse_tolerance,
           "How much worse or better is still level (5%)")
      .needs(against);
  line.add(options.output, [] {
    return report::csv_headers({report::RunResult(), report::IntervalLine(), report::Comparison(),
                                report::MaxRate(), report::Bypass(), report::CodecTable(),
                                report::Experiment()});
  });
  line.add_html(options.output);
  line.add_colour(options.output);
  line.add(options.latency);
}

// What is wrong with the command line as a whole; empty where nothing is.
std::string wrong_with(const ReportOptions& options) {
  if (options.files.empty()) return "FILE is missing: name one result or more";
  if (options.against.empty()) return {};
  const auto& [output, latency] = std::tie(options.output, options.latency);
  for (const auto& [given, flag] : {std::pair(options.in_turn, "--in-turn"),
                                    {options.expect > 0, "--expect"},
                                    {!output.json.empty(), "--json"},
                                    {!output.csv.empty(), "--csv"},
                                    {!output.html.empty(), "--html"},
                                    {!latency.hgrm.empty(), "--hgrm"},
                                    {!latency.hdr_log.empty(), "--hdr-log"},
                                    {!latency.percentiles.empty(), "--percentiles"}}) {
    if (given) return fmt::format("--against prints a comparison as text: leave {} out", flag);
  }
  return {};
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
  const std::pair<const char*, const report::LatencySummary*> kinds[] = {
      {"latency", &result.latency},
      {"service", result.service ? &*result.service : nullptr},
      {"lateness", result.lateness ? &*result.lateness : nullptr}};
  std::string notes, lines;
  for (const auto& [tag, latency] : kinds) {
    if (!latency) continue;
    const auto histogram = report::restore(*latency);
    if (!histogram) return std::unexpected(histogram.error());
    notes += report::hdr_log_note(tag, *latency);
    lines += report::hdr_log_line(tag, 0, result.totals.seconds, *histogram);
  }
  const auto began = report::parse_moment(result.started);
  return replace_file(file, report::hdr_log_head("netreport", began) + notes + lines);
}

// As the tool that wrote it prints it.
Result<> deliver_again(const report::Document& document, const OutputOptions& options) {
  const bool colour = wants_colour(options.colour);
  const auto text_of = [&]<class T>(const T& of) -> std::string {
    if constexpr (std::is_same_v<T, report::IntervalLine>) return report::text_line(of.interval);
    if constexpr (std::is_same_v<T, report::RunResult>)
      return report::text_report(of, colour, letters_of_terminal());
    if constexpr (std::is_same_v<T, report::Comparison>)
      return report::text_report(of, letters_of_terminal());
    if constexpr (requires { text_report(of, colour); }) return text_report(of, colour);
    if constexpr (requires { text_report(of); }) return text_report(of);
    return {};
  };
  print_doubts(document, options);
  return std::visit([&](const auto& of) { return deliver(of, options, text_of); }, document);
}

Result<> run_study(const report::Document& study, const ReportOptions& options) {
  const LatencyOptions& latency = options.latency;
  if (!latency.hgrm.empty() || !latency.hdr_log.empty() || !latency.percentiles.empty()) {
    return failed(
        "a study of several runs has text, JSON and CSV (leave out --hgrm, --hdr-log and "
        "--percentiles)",
        {}, 0);
  }
  return deliver_again(study, options.output);
}

// The file of each, without its folder where that leaves them different.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem());
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? names : files;
}

// Several results beside each other, which need not be such as can be added up.
Result<> draw_results(std::span<const report::RunResult> results, const ReportOptions& options) {
  const auto& [output, latency] = std::tie(options.output, options.latency);
  if (!output.json.empty() || !output.csv.empty() || !latency.hgrm.empty() ||
      !latency.hdr_log.empty() || !latency.percentiles.empty() || options.in_turn) {
    return failed(
        "--html draws several results beside each other and does not add them up (leave out "
        "--json, --csv, --hgrm, --hdr-log, --percentiles and --in-turn)",
        {}, 0);
  }
  if (results.size() > report::kRunsOfPage) {
    return failed(fmt::format("--html draws up to {} results beside each other (name fewer)",
                              report::kRunsOfPage),
                  {}, 0);
  }
  const std::vector<std::string> names = names_of(options.files);
  std::vector<report::NamedRun> runs;
  for (std::size_t i = 0; i < results.size(); ++i)
    runs.push_back({printable(names[i]), &results[i]});
  const std::string page = report::html_page(runs);
  if (output.html != "-") return replace_file(output.html, page);
  write_out(page);
  return {};
}

Result<> run_results(std::span<const report::RunResult> results, const ReportOptions& options,
                     const std::vector<std::string>& arguments, bool& valid) {
  for (const report::RunResult& one : results) valid &= is_valid(one);
  if (results.size() > 1 && !options.output.html.empty()) return draw_results(results, options);
  if (options.expect > 0) {
    const auto skew =
        report::require_parts(results, options.files, options.expect, options.skew_max);
    if (!skew) return std::unexpected(skew.error());
    print_err("netreport: {} of {} parts, begun {} apart\n", results.size(), options.expect,
              measure::format_time(static_cast<double>(*skew)));
  }
  const auto order = options.in_turn ? report::Order::in_turn : report::Order::at_once;
  auto result = report::merge(results, order, options.files);
  if (!result) return std::unexpected(result.error());
  valid = is_valid(*result);
  if (results.size() > 1) {
    result->argv = arguments;
    // What each run could hold may be too much for the sum.
    if (auto whole = report::parse_document(report::json_line(*result)); !whole)
      return failed("the sum: " + whole.error().message(), {}, 0);
  }
  if (auto done = print_others(*result, options.latency.percentiles); !done) return done;
  return together({deliver_again(*result, options.output),
                   write_distribution(*result, options.latency),
                   write_log(*result, options.latency.hdr_log)});
}

// Whether nothing is worse, and with --strict all is VALID, is said in `kept`.
Result<> run_against(const ReportOptions& options, bool& kept) {
  const auto before = read_documents(options.against, false);
  if (!before) return std::unexpected(before.error());
  const auto after = read_documents(options.files, false);
  if (!after) return std::unexpected(after.error());
  const auto said = compare_sides(*before, *after, options.tolerance_pct);
  if (!said) return std::unexpected(said.error());
  kept = !said->worse;
  for (const auto* side : {&*before, &*after}) {
    for (const report::Document& document : *side) kept &= !options.strict || is_valid(document);
  }
  write_out(said->text);
  return {};
}

// Whether all of it is VALID is said in `valid`.
Result<> run(const ReportOptions& options, const std::vector<std::string>& arguments, bool& valid) {
  const auto documents = read_documents(options.files, true);
  if (!documents) return std::unexpected(documents.error());
  std::vector<report::RunResult> results;
  for (const report::Document& document : *documents) {
    if (const auto* result = std::get_if<report::RunResult>(&document)) results.push_back(*result);
  }
  if (!results.empty()) return run_results(results, options, arguments, valid);
  if (options.expect > 0) return failed("a study is no part of a load (leave out --expect)", {}, 0);
  valid = is_valid(documents->front());
  return run_study(documents->front(), options);
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
  if (const std::string wrong = wrong_with(options); !wrong.empty()) {
    print_err("netreport: {}\nTry 'netreport --help'.\n", wrong);
    return kUsage;
  }
  if (!options.against.empty()) {
    bool kept = true;
    const auto done = run_against(options, kept);
    if (!done) return ending("netreport", cannot("netreport", done.error()));
    return ending("netreport", kept ? kDone : kCheckFailed);
  }
  bool valid = true;
  const auto done = run(options, line.arguments(), valid);
  if (!done) return ending("netreport", cannot("netreport", done.error()));
  return ending("netreport", options.strict && !valid ? kCheckFailed : kDone);
}
