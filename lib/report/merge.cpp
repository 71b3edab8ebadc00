// Several results added into one.
#include "report/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "report/merge_fields.h"
#include "report/result_fields.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

using Runs = std::span<const RunResult>;

std::unexpected<Error> differ(std::size_t place, const std::string& what) {
  return failed(fmt::format("run {} cannot be added to run 1: {}", place, what), {}, 0);
}

Result<> require_alike(Runs runs) {
  const RunResult& first = runs.front();
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const RunResult& run = runs[i];
    if (run.tool != first.tool)
      return differ(i + 1, fmt::format("it is of {}, not of {}", run.tool, first.tool));
    if (run.latency.from != first.latency.from) {
      return differ(i + 1, fmt::format("its latency counts from the {}, not from the {}",
                                       run.latency.from, first.latency.from));
    }
    if (run.pacing.has_value() != first.pacing.has_value())
      return differ(i + 1, "one has a rate and the other has none");
    if (run.delivery.has_value() != first.delivery.has_value() ||
        run.totals.datagrams.has_value() != first.totals.datagrams.has_value())
      return differ(i + 1, "one is over UDP and the other is not");
  }
  return {};
}

std::string joined(std::vector<std::string> values) {
  std::string text;
  std::vector<std::string> told;
  for (std::string& value : values) {
    if (std::ranges::find(told, value) != told.end()) continue;
    text += (told.empty() ? "" : ", ") + value;
    told.push_back(std::move(value));
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> config_of(Runs runs) {
  std::vector<std::pair<std::string, std::string>> config;
  for (const auto& [name, unused] : runs.front().config) {
    std::vector<std::string> values;
    for (const RunResult& run : runs) {
      const auto found =
          std::ranges::find(run.config, name, [](const auto& one) { return one.first; });
      if (found != run.config.end()) values.push_back(found->second);
    }
    config.emplace_back(name, joined(std::move(values)));
  }
  return config;
}

std::string target_of(const RunResult& run) {
  for (const auto& [name, value] : run.config) {
    if (name == "target") return value;
  }
  return {};
}

std::vector<Check> checks_of(Runs runs) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Check& check : runs[i].checks) {
      const auto known = std::ranges::find(checks, check.name, &Check::name);
      if (known == checks.end()) {
        checks.push_back(check);
      } else if (known->passed && !check.passed) {
        *known = check;
      }
    }
  }
  return checks;
}

Path path_of(Runs runs) {
  const auto joined_of = [&](std::string Path::* part) {
    std::vector<std::string> values;
    for (const RunResult& run : runs) values.push_back(run.path.*part);
    return joined(std::move(values));
  };
  Path path = {joined_of(&Path::requested), joined_of(&Path::active), {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::string& evidence : runs[i].path.evidence)
      path.evidence.push_back(fmt::format("run {}: {}", i + 1, evidence));
  }
  return path;
}

void pass_verdict_of_all(RunResult& all, Runs runs) {
  // Threads of several machines have more processors than the first machine allows.
  const unsigned cores = std::exchange(all.host.cores_allowed, 0);
  pass_verdict(all);
  all.host.cores_allowed = cores;
  if (!all.verdict) return;
  std::vector<std::string>& reasons = all.verdict->reasons;
  const std::size_t judged = reasons.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // One generator at its limit is hidden by the others. A part of few messages is none.
    RunResult part = runs[i];
    part.latency = all.latency;
    part.least = all.least;
    for (const std::string& reason : judge(part).reasons) {
      if (std::ranges::find(reasons, reason) == reasons.end())
        reasons.push_back(fmt::format("run {}: {}", i + 1, reason));
    }
  }
  const auto at = all.warnings.begin() + static_cast<std::ptrdiff_t>(judged);
  all.warnings.insert(at, reasons.begin() + static_cast<std::ptrdiff_t>(judged), reasons.end());
}

}  // namespace

// Found by add_value() for every latency: buckets are added, and figures made of them anew.
void add(LatencySummary& into, const LatencySummary& more) {
  std::vector<double> percents;
  Histogram all;
  for (const LatencySummary* latency : {&std::as_const(into), &more}) {
    // parse_result() and summarize() make no other indexes than the layout has.
    if (const auto histogram = restore(*latency)) all.merge(*histogram);
    for (const Percentile& percentile : latency->percentiles)
      percents.push_back(percentile.percent);
  }
  // A tail that one run was too short for stands in the longer one, and may stand in the whole.
  std::ranges::sort(percents);
  const auto [repeated, end] = std::ranges::unique(percents);
  percents.erase(repeated, end);
  std::optional<std::uint64_t> unanswered = into.unanswered;
  if (more.unanswered) unanswered = unanswered.value_or(0) + *more.unanswered;
  into = summarize(all, into.from, percents, unanswered);
}

Result<RunResult> merge(std::span<const RunResult> runs, Order order) {
  if (runs.empty()) return failed("no run to merge", {}, 0);
  if (auto alike = require_alike(runs); !alike) return std::unexpected(alike.error());
  RunResult all = runs.front();
  if (runs.size() == 1) return all;
  double seconds = all.totals.seconds;
  for (const RunResult& run : runs.subspan(1)) {
    const bool same = order == Order::at_once && target_of(run) == target_of(runs.front());
    add_entries(all, run, kTable<RunResult>.entries,
                {.order = order,
                 .weight = seconds,
                 .weight_more = run.totals.seconds,
                 .same_server = same});
    seconds += run.totals.seconds;
  }
  all.config = config_of(runs);
  all.path = path_of(runs);
  all.checks = checks_of(runs);
  pass_verdict_of_all(all, runs);
  return all;
}

}  // namespace wiremark::report
