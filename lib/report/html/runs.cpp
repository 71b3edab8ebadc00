// One run as a page, or several beside each other.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "measure/quantity.h"
#include "report/html.h"
#include "report/html/codecs.h"
#include "report/html/costs.h"
#include "report/html/doubt.h"
#include "report/html/latency.h"
#include "report/html/over_time.h"
#include "report/html/published.h"
#include "report/text.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string title_of(std::span<const NamedRun> runs) {
  const RunResult& run = *runs.front().run;
  if (runs.size() > 1) return fmt::format("{} runs of {} beside each other", runs.size(), run.tool);
  return fmt::format("{}, {}: {}, {} messages/s for {}", run.tool, run.path.active,
                     format_counted(run.totals.connections, "connection"),
                     format_rate(run.totals.qps()), format_time(run.totals.seconds * kSecond));
}

std::string command_of(const RunResult& run) {
  std::string command;
  for (const std::string& argument : run.argv) command += (command.empty() ? "" : " ") + argument;
  return command;
}

HtmlTable summary_of(std::span<const NamedRun> runs) {
  HtmlTable table{{"run", "verdict", "messages/s", "p50", "p90", "p99", "p99.9", "max",
                   "client CPU", "server CPU", "errors"},
                  {}};
  for (const NamedRun& named : runs) {
    const RunResult& run = *named.run;
    const Latency latency = latency_of(named.name, {&run, 1});
    std::vector<std::string> row{named.name, run.verdict ? run.verdict->words() : "-",
                                 format_rate(run.totals.qps())};
    for (const double percent : {50.0, 90.0, 99.0, 99.9})
      row.push_back(percentile_cell(latency, percent));
    row.push_back(max_cell(latency));
    row.push_back(cost_cell(run.us_cpu_per_message()));
    row.push_back(cost_cell(run.server_us_cpu_per_message()));
    row.push_back(format_count(run.totals.errors_sum()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The reasons to doubt a run, and other remarks on it.
void add_words(Page& page, const NamedRun& named) {
  const RunResult& run = *named.run;
  if (run.verdict && !run.verdict->valid()) {
    page.paragraph(named.name + ": " + run.verdict->words() + ", drawn hollow or hatched", "bad");
    std::vector<std::string> doubts;
    for (const std::string& reason : run.verdict->reasons)
      doubts.push_back(doubt_text(*run.verdict, reason));
    page.list(doubts);
  }
  std::vector<std::string> failed;
  for (const Check& check : run.checks)
    if (!check.passed) failed.push_back(fmt::format("{}: {}", check.name, check.detail));
  if (!failed.empty()) page.paragraph(named.name + ": FAILED", "bad");
  page.list(failed);
  const std::vector<std::string> notes(run.notes().begin(), run.notes().end());
  if (!notes.empty()) page.paragraph(named.name + ": to be known", "quiet");
  page.list(notes);
}

std::vector<CostRow> costs_of(std::span<const NamedRun> runs) {
  std::vector<CostRow> rows;
  for (const NamedRun& named : runs) {
    const RunResult& run = *named.run;
    const auto colour = static_cast<std::size_t>(&named - &runs[0]);
    const auto add = [&](const std::string& end, std::optional<double> us) {
      if (!us) return;
      rows.push_back({end + ", " + named.name, colour, {{*us, doubtful(run, kCost), named.name}}});
    };
    add("server", run.server_us_cpu_per_message());
    add(run.role == Role::generator ? "client" : run.tool, run.us_cpu_per_message());
  }
  return rows;
}

}  // namespace

std::string html_page(std::span<const NamedRun> runs) {
  Page page(title_of(runs));
  for (const NamedRun& named : runs)
    page.paragraph(fmt::format("{}: {}, {} {}, started {}: {}", named.name,
                               describe(named.run->host), named.run->tool, named.run->version,
                               named.run->started, command_of(*named.run)),
                   "quiet");
  page.table(summary_of(runs));
  for (const NamedRun& named : runs) add_words(page, named);
  std::vector<Latency> latencies;
  for (const NamedRun& named : runs) latencies.push_back(latency_of(named.name, {named.run, 1}));
  add_percentiles(page, latencies);
  add_over_time(page, runs);
  add_costs(page, costs_of(runs));
  return page.str();
}

std::string html_page(const CodecTable& codecs) {
  const RunResult& run = codecs.run;
  Page page(fmt::format("{}: {} rows", run.tool, codecs.cells.size()));
  page.paragraph(fmt::format("{}, {} {}, started {}: {}", describe(run.host), run.tool, run.version,
                             run.started, command_of(run)),
                 "quiet");
  add_words(page, {run.tool, &run});
  if (codecs.published) add_published(page, *codecs.published);
  add_codecs(page, codecs.cells);
  return page.str();
}

std::string html_page(const RunResult& run) {
  const NamedRun named{run.path.active.empty() ? run.tool : run.path.active, &run};
  return html_page({&named, 1});
}

std::string html_page(const Document& document) {
  return std::visit(
      []<class T>(const T& of) -> std::string {
        if constexpr (std::is_same_v<T, IntervalLine>)
          return {};
        else
          return html_page(of);
      },
      document);
}

}  // namespace wiremark::report
