// The runs of a script as a page: how they compare, and what the script printed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/quantity.h"
#include "report/html.h"
#include "report/html/costs.h"
#include "report/html/latency.h"
#include "report/html/published.h"
#include "report/html/ratios.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

// A page stays small: with more runs than this only the intervals are drawn, without the rounds.
constexpr std::size_t kRunsWithDots = 600;
// The figures that are compared, as test/bench names them.
constexpr std::pair<const char*, const char*> kCompared[] = {{"cost_us", "CPU per message"},
                                                             {"qps", "messages/s"}};

std::string label_of(const Trial& run, std::string_view name) {
  for (const auto& [label, value] : run.labels) {
    if (label == name) return value;
  }
  return {};
}

double figure_of(const Trial& run, std::string_view name) {
  for (const auto& [figure, value] : run.figures) {
    if (figure == name) return value;
  }
  return 0;
}

// Which round a run belongs to: its number, or, of a script that adds rounds to an earlier file, a
// label that has the date too.
std::string round_of(const Trial& run) {
  const std::string label = label_of(run, "round");
  return label.empty() ? fmt::format("{}", figure_of(run, "round")) : label;
}

std::string joined(const Trial& run, std::initializer_list<std::string_view> left_out) {
  std::string text;
  for (const auto& [label, value] : run.labels) {
    if (value.empty() || std::ranges::find(left_out, label) != left_out.end()) continue;
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

// The end that was busier by more than 5 % of a processor: 1 is the server, -1 the client.
int bound_at(const Trial& run) {
  const double ahead = figure_of(run, "server_cpu_pct") - figure_of(run, "client_cpu_pct");
  return std::abs(ahead) <= 5 ? 0 : ahead > 0 ? 1 : -1;
}

using Runs = std::vector<const Trial*>;

// Where opposite ends were the bottleneck two runs cannot be compared; see opposed() of
// test/bench/rounds.py.
std::vector<RoundPair> pairs_of(const Runs& ones, const Runs& bases, const char* figure) {
  std::vector<RoundPair> pairs;
  for (const Trial* one : ones) {
    const auto base = std::ranges::find_if(
        bases, [&](const Trial* run) { return round_of(*run) == round_of(*one); });
    if (base == bases.end() || bound_at(*one) * bound_at(**base) < 0) continue;
    pairs.push_back({figure_of(*one, figure), figure_of(**base, figure)});
  }
  return pairs;
}

/// A list by name, in the order first met.
template <class T>
using ByName = std::vector<std::pair<std::string, T>>;

template <class T>
T& at(ByName<T>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &ByName<T>::value_type::first);
  return found == all.end() ? all.emplace_back(name, T()).second : found->second;
}

// A picture for each point and placement of the processors.
void add_comparisons(Page& page, const Experiment& study) {
  if (!study.base) return;
  ByName<ByName<Runs>> groups;
  for (const Trial& run : study.runs) {
    const std::string server = label_of(run, "server");
    if (run.failed || server.empty()) continue;
    at(at(groups, joined(run, {"server", "round", "part"})), server).push_back(&run);
  }
  for (auto& [name, servers] : groups) {
    std::vector<RatioRow> rows;
    const Runs& base = at(servers, *study.base);
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const auto& [server, runs] = servers[i];
      if (server == *study.base) continue;
      for (const auto& [figure, words] : kCompared)
        rows.push_back({server + ", " + words, i % kRunsOfPage, pairs_of(runs, base, figure)});
    }
    add_ratios(page, (name.empty() ? "Ratio to " : name + ": ratio to ") + *study.base, *study.base,
               rows, study.runs.size() <= kRunsWithDots);
  }
}

// Runs that hold a whole result of netload: its figures in a table, and its cost as a bar.
void add_loads(Page& page, const Experiment& study) {
  HtmlTable table{{"run", "verdict", "messages/s", "p50", "p99", "server CPU"}, {}};
  std::vector<CostRow> costs;
  for (const Trial& run : study.runs) {
    if (!run.load) continue;
    const std::string name = joined(run, {});
    const Latency latency = latency_of(name, {&*run.load, 1});
    table.rows.push_back({name, run.load->verdict ? run.load->verdict->words() : "-",
                          format_rate(run.load->totals.qps()), percentile_cell(latency, 50),
                          percentile_cell(latency, 99), cost_cell(server_cost_of(*run.load))});
    costs.push_back({"server, " + name, costs.size() % kRunsOfPage,
                     dots_of({*run.load}, server_cost_of, kCost, format_number)});
  }
  if (table.rows.empty()) return;
  page.table(table);
  add_costs(page, costs);
}

}  // namespace

std::string html_page(const Experiment& study) {
  Page page("Experiment " + study.name);
  page.paragraph(fmt::format("started {}: {}", study.started, fmt::join(study.argv, " ")), "quiet");
  std::vector<std::string> failures;
  for (const Trial& run : study.runs) {
    if (run.failed)
      failures.push_back(fmt::format("{} failed: {}", joined(run, {"round", "part"}), *run.failed));
  }
  page.list(failures);
  if (study.published) add_published(page, *study.published);
  add_comparisons(page, study);
  add_loads(page, study);
  page.printed(study.text);
  return page.str();
}

}  // namespace wiremark::report
