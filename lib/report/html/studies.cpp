// Studies as pages.
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "measure/quantity.h"
#include "measure/ratio.h"
#include "report/html.h"
#include "report/html/costs.h"
#include "report/html/doubt.h"
#include "report/html/latency.h"
#include "report/html/ratios.h"
#include "report/study_conditions.h"
#include "report/text.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string ns_text(double ns) { return format_time(ns); }

void add_setting(Page& page, const Setting& setting, const RunResult& any) {
  if (setting.about) page.paragraph(*setting.about);
  page.paragraph(
      fmt::format("{} {}, started {}; client {}; {}; {}", any.tool, any.version, any.started,
                  any.path.active, setting.processors.value_or("processors not told"),
                  describe(any.host)),
      "quiet");
}

std::vector<RoundPair> pairs_of(const Rounds& one, const Rounds& base, FigureOf figure,
                                const char* judged) {
  std::vector<RoundPair> pairs;
  for (std::size_t i = 0; i < std::min(one.size(), base.size()); ++i)
    pairs.push_back({figure(one[i]).value_or(0), figure(base[i]).value_or(0),
                     doubtful(one[i], judged) || doubtful(base[i], judged)});
  return pairs;
}

void add_ratios(Page& page, const Comparison& study) {
  const Compared& base = study.backends.front();
  std::vector<RatioRow> rows;
  for (std::size_t i = 1; i < study.backends.size(); ++i) {
    const auto& [name, rounds] = std::tie(study.backends[i].backend, study.backends[i].rounds);
    rows.push_back({name + ", server CPU per message", i,
                    pairs_of(rounds, base.rounds, server_cost_of, kCost)});
    rows.push_back({name + ", messages/s", i, pairs_of(rounds, base.rounds, qps_of, kRate)});
  }
  add_ratios(page, "Ratio to " + base.backend, base.backend, rows);
}

void add_rounds(Page& page, std::string title, std::string unit, const std::vector<CostRow>& rows,
                std::string (*format)(double)) {
  picture::Bars chart;
  chart.caption = {std::move(title),
                   "A bar for each: the median of the rounds, each of which is a dot on a line "
                   "from the lowest to the highest."};
  HtmlTable table{{"", "median", "lowest", "highest", "rounds"}, {}};
  double highest = 0;
  for (const CostRow& row : rows) {
    if (row.rounds.empty()) continue;
    const picture::Bar& bar = chart.bars.emplace_back(bar_of(row, format));
    highest = std::max(highest, bar.high.value_or(bar.value));
    table.rows.push_back({row.name, bar.label, format(bar.low.value_or(bar.value)),
                          format(bar.high.value_or(bar.value)),
                          fmt::format("{}", row.rounds.size())});
  }
  if (chart.bars.empty()) return;
  chart.axis.title = std::move(unit);
  chart.axis.label = [format](double value) { return picture::without_zeros(format(value)); };
  chart.axis = picture::from_zero(chart.axis, highest);
  page.figure(draw(chart),
              "Bar: median of the rounds. Line: lowest to highest. Ring: not to be trusted.",
              table);
}

// The reasons to doubt the runs of a part, each kind once.
void add_doubts(Page& page, const std::string& name, const Rounds& rounds) {
  const std::size_t valid = valid_of(rounds);
  if (valid == rounds.size()) return;
  std::vector<std::string> doubts;
  for (const RunResult& round : rounds) {
    if (!round.verdict) continue;
    for (const std::string& reason : round.verdict->reasons)
      doubts.push_back(doubt_text(*round.verdict, reason));
  }
  page.paragraph(
      fmt::format("{}: not VALID in {} of {} rounds", name, rounds.size() - valid, rounds.size()),
      "bad");
  std::vector<std::string> reasons;
  for (const auto& [first, count] : kinds_of(doubts))
    reasons.push_back(fmt::format("{} of {}: {}", count, rounds.size(), first));
  page.list(reasons);
}

HtmlTable summary_of(const Comparison& study, const std::vector<Latency>& latencies) {
  HtmlTable table{
      {"backend", "valid rounds", "messages/s", "p50", "p99", "p99.9", "server CPU", "client CPU"},
      {}};
  for (std::size_t i = 0; i < study.backends.size(); ++i) {
    const Compared& one = study.backends[i];
    const auto median = [&](FigureOf figure) {
      const auto spread = spread_of(one.rounds, figure);
      return spread ? std::optional(spread->median) : std::nullopt;
    };
    std::vector<std::string> row{one.backend,
                                 fmt::format("{} of {}", valid_of(one.rounds), one.rounds.size()),
                                 format_rate(median(qps_of).value_or(0))};
    for (const double percent : {50.0, 99.0, 99.9})
      row.push_back(percentile_cell(latencies[i], percent));
    row.push_back(cost_cell(median(server_cost_of)));
    row.push_back(cost_cell(median(client_cost_of)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string html_page(const Comparison& study) {
  std::string title = "Comparison of";
  for (const Compared& one : study.backends)
    title += (&one == &study.backends.front() ? " " : " and ") + one.backend;
  Page page(title);
  add_setting(page, study.setting, study.backends.front().rounds.front());
  std::vector<Latency> latencies;
  for (const Compared& one : study.backends)
    latencies.push_back(latency_of(one.backend, one.rounds));
  page.table(summary_of(study, latencies));
  if (study.failed) page.paragraph("Failed: " + in_words(*study.failed), "bad");
  for (const std::string& sentence : conclusions_of(study))
    page.paragraph("Conclusion: " + sentence);
  std::vector<CostRow> costs;
  std::vector<CostRow> rates;
  for (std::size_t i = 0; i < study.backends.size(); ++i) {
    const Compared& one = study.backends[i];
    add_doubts(page, one.backend, one.rounds);
    rates.push_back({one.backend, i, dots_of(one.rounds, qps_of, kRate, format_rate)});
    costs.push_back(
        {"server, " + one.backend, i, dots_of(one.rounds, server_cost_of, kCost, format_number)});
  }
  for (std::size_t i = 0; i < study.backends.size(); ++i) {
    const Compared& one = study.backends[i];
    costs.push_back(
        {"client, " + one.backend, i, dots_of(one.rounds, client_cost_of, kCost, format_number)});
  }
  add_ratios(page, study);
  add_costs(page, costs);
  add_rounds(page, "Messages per second", "messages/s", rates, format_rate);
  add_percentiles(page, latencies);
  return page.str();
}

std::string html_page(const MaxRate& study) {
  Page page(study.max_rate_hz
                ? fmt::format("At most {} messages/s", format_rate(*study.max_rate_hz))
                : std::string("No rate kept the objectives"));
  add_setting(page, study.setting, study.probes.front().result);
  for (const std::string& objective : study.objectives) page.paragraph("Objective: " + objective);
  if (study.next)
    page.paragraph(fmt::format("Next: {} messages/s: {}", format_rate(study.next->rate_hz),
                               study.next->reason));
  if (study.failed) page.paragraph("Failed: " + failure_in_words(*study.failed), "bad");
  if (study.limit == "generator")
    page.paragraph("The limit was the generator: the server may do more.", "bad");
  if (study.limit == "machine") {
    page.paragraph(
        "The limit was the machine: an end had no processor or stood still. The server may do "
        "more.",
        "bad");
  }
  picture::Scatter chart;
  chart.caption = {"Probes",
                   "Each probe where the rate that it asked for and its 99th percentile meet, a "
                   "circle where it kept the objectives and a square where it did not; both axes "
                   "are logarithmic."};
  HtmlTable table{{"probe", "asked, messages/s", "reached", "p99", "verdict", "objectives"}, {}};
  std::vector<double> rates;
  std::vector<double> times;
  for (std::size_t i = 0; i < study.probes.size(); ++i) {
    const Probe& probe = study.probes[i];
    const bool valid = probe.result.verdict && probe.result.verdict->valid();
    const std::string number = fmt::format("{}", i + 1);
    const std::string outcome = probe.kept ? "kept" : probe.reason;
    const Latency latency = latency_of(number, {&probe.result, 1});
    table.rows.push_back({number, format_rate(probe.rate_hz),
                          format_rate(probe.result.totals.qps()), percentile_cell(latency, 99),
                          probe.result.verdict ? probe.result.verdict->words() : "-", outcome});
    const auto p99 = percentile_of(latency.histogram, 99, latency.unanswered);
    if (!p99) continue;
    chart.marks.push_back({probe.rate_hz, static_cast<double>(*p99), probe.kept, !valid,
                           fmt::format("probe {}: {} messages/s, p99 {}, {}", number,
                                       format_rate(probe.rate_hz), format_time(*p99), outcome)});
    rates.push_back(probe.rate_hz);
    times.push_back(static_cast<double>(*p99));
  }
  chart.x.title = "messages/s asked for (logarithmic)";
  chart.x.label = [](double rate) {
    return rate < 1'000 ? fmt::format("{:.4g}", rate) : fmt::format("{:.4g} k", rate / 1'000);
  };
  chart.x = picture::around(chart.x, rates);
  chart.y = time_axis("p99 (logarithmic)", times);
  chart.line = study.max_rate_hz;
  std::string note =
      "Circle: kept the objectives. Square: broke them. Hollow: the probe is invalid. "
      "Upright line: the highest rate that was kept.";
  if (chart.marks.size() < study.probes.size())
    note += " In the table alone: probes whose p99 is no time.";
  page.figure(draw(chart), note, table);
  return page.str();
}

std::string html_page(const Bypass& study) {
  Page page("Where the time of a message goes");
  add_setting(page, study.setting, study.ways.front().rounds.front());
  if (study.failed) page.paragraph("Failed: " + in_words(*study.failed), "bad");
  std::vector<CostRow> ways;
  std::vector<CostRow> costs;
  for (std::size_t i = 0; i < study.ways.size(); ++i) {
    const Way& way = study.ways[i];
    add_doubts(page, way.name, way.rounds);
    const bool is_load = i + 1 == study.ways.size();
    if (!is_load && spread_of(way.rounds, p50_ns_of))
      ways.push_back({way.name, i, dots_of(way.rounds, p50_ns_of, "p50", ns_text)});
    costs.push_back(
        {"server, " + way.name, i, dots_of(way.rounds, server_cost_of, kCost, format_number)});
    costs.push_back(
        {"client, " + way.name, i, dots_of(way.rounds, client_cost_of, kCost, format_number)});
  }
  add_rounds(page, "There and back, over shorter and shorter ways", "median round trip", ways,
             ns_text);
  if (const std::string bought = bought_text(study); !bought.empty()) page.paragraph(bought);
  const auto part = [](std::string name, std::size_t colour, const std::optional<Spread>& spread) {
    CostRow row{std::move(name), colour, {}};
    if (!spread) return row;
    row.rounds.push_back({spread->median, false, format_time(spread->median)});
    if (spread->rounds < 2) return row;
    for (const double ns : {spread->min, spread->max})
      row.rounds.push_back({ns, false, format_time(ns)});
    return row;
  };
  if (study.invalid)
    page.paragraph("INVALID: " + *study.invalid, "bad");
  else
    add_rounds(page, "What that is made of", "part of the median round trip",
               {part("falling asleep and waking up", 0, study.parts.sleep_and_wake),
                part("TCP and IP", 1, study.parts.tcp_and_ip),
                part("system calls and sockets", 2, study.parts.system_calls_and_sockets),
                part("shared memory", 3, study.parts.shared_memory)},
               ns_text);
  add_costs(page, costs);
  return page.str();
}

}  // namespace wiremark::report
