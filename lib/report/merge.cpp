// Several results added into one.
#include "report/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

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

LatencySummary add(Runs runs, auto&& latency_of) {
  Histogram all;
  std::vector<double> percents;
  const LatencySummary* first = nullptr;
  for (const RunResult& run : runs) {
    const LatencySummary* latency = latency_of(run);
    if (!latency) continue;
    if (!first) first = latency;
    // parse_result() and summarize() make no other indexes than the layout has.
    if (const auto histogram = restore(*latency)) all.merge(*histogram);
    for (const Percentile& percentile : latency->percentiles)
      percents.push_back(percentile.percent);
  }
  // A tail that one run was too short for stands in the longer ones, and may stand in the whole.
  std::ranges::sort(percents);
  const auto [repeated, end] = std::ranges::unique(percents);
  percents.erase(repeated, end);
  return summarize(all, first ? first->from : "", percents);
}

std::optional<LatencySummary> add_optional(Runs runs,
                                           std::optional<LatencySummary> RunResult::* member) {
  const auto latency_of = [member](const RunResult& run) {
    return run.*member ? &*(run.*member) : nullptr;
  };
  if (std::ranges::none_of(runs, latency_of)) return std::nullopt;
  return add(runs, latency_of);
}

std::optional<Packets> packets_of(Runs runs) {
  Packets sum;
  for (const RunResult& run : runs) {
    if (!run.totals.packets) return std::nullopt;
    for (const auto part : {&Packets::in, &Packets::out, &Packets::data_in, &Packets::data_out})
      sum.*part += (*run.totals.packets).*part;
  }
  return sum;
}

// The sum of a part that all runs have. Where one has none, there is none.
template <class Part, class Get>
std::optional<Part> sum_of(Runs runs, std::initializer_list<std::uint64_t Part::*> counts,
                           Get&& part_of) {
  const auto has_part = [&](const RunResult& run) { return part_of(run).has_value(); };
  if (!std::ranges::all_of(runs, has_part)) return std::nullopt;
  Part sum;
  for (const RunResult& run : runs) {
    for (const auto count : counts) sum.*count += (*part_of(run)).*count;
  }
  return sum;
}

std::optional<Datagrams> datagrams_of(Runs runs) {
  return sum_of<Datagrams>(
      runs, {&Datagrams::in, &Datagrams::out, &Datagrams::unsent, &Datagrams::dropped},
      [](const RunResult& run) { return run.totals.datagrams; });
}

std::optional<Delivery> delivery_of(Runs runs) {
  return sum_of<Delivery>(runs, {&Delivery::reordered, &Delivery::duplicated, &Delivery::wrong},
                          [](const RunResult& run) { return run.delivery; });
}

// A closed loop over TCP had no outcome in wiremark.result/1.
std::optional<Outcome> outcome_of(Runs runs) {
  return sum_of<Outcome>(runs,
                         {&Outcome::planned, &Outcome::sent, &Outcome::answered, &Outcome::lost,
                          &Outcome::late, &Outcome::unsent},
                         [](const RunResult& run) { return run.outcome; });
}

std::optional<Pacing> pacing_of(Runs runs) {
  return sum_of<Pacing>(runs, {&Pacing::behind, &Pacing::overdue},
                        [](const RunResult& run) { return run.pacing; });
}

Totals totals_of(Runs runs, Order order) {
  Totals totals;
  totals.packets = packets_of(runs);
  totals.datagrams = datagrams_of(runs);
  for (const RunResult& run : runs) {
    const Totals& one = run.totals;
    totals.messages += one.messages;
    totals.bytes_in += one.bytes_in;
    totals.bytes_out += one.bytes_out;
    totals.errors_allowed += one.errors_allowed;
    for (const auto& [kind, count] : one.errors) add_error(totals.errors, kind, count);
    totals.connections += one.connections;
    totals.connections_asked += one.connections_asked;
    totals.seconds = order == Order::in_turn ? totals.seconds + one.seconds
                                             : std::max(totals.seconds, one.seconds);
  }
  return totals;
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

void add_cpu(RunResult& all, Runs runs, Order order) {
  const bool in_turn = order == Order::in_turn;
  all.cpu = {0, 0, 0};
  double seconds = 0;
  for (const RunResult& run : runs) {
    all.cpu.user_s += run.cpu.user_s;
    all.cpu.sys_s += run.cpu.sys_s;
    all.cpu.threads =
        in_turn ? std::max(all.cpu.threads, run.cpu.threads) : all.cpu.threads + run.cpu.threads;
    all.rss_bytes =
        in_turn ? std::max(all.rss_bytes, run.rss_bytes) : all.rss_bytes + run.rss_bytes;
    all.spins |= run.spins;
    all.machine.busy_pct += run.totals.seconds * run.machine.busy_pct;
    all.machine.softirq_pct += run.totals.seconds * run.machine.softirq_pct;
    all.machine.steal_pct += run.totals.seconds * run.machine.steal_pct;
    seconds += run.totals.seconds;
  }
  for (double* share : {&all.machine.busy_pct, &all.machine.softirq_pct, &all.machine.steal_pct})
    *share = seconds > 0 ? std::min(100.0, *share / seconds) : 0;  // Rounded, it can pass 100.
}

std::string target_of(const RunResult& run) {
  for (const auto& [name, value] : run.config) {
    if (name == "target") return value;
  }
  return {};
}

void add_server(RunResult& all, Runs runs, Order order) {
  if (!std::ranges::all_of(runs, [](const RunResult& run) { return run.server_cpu.has_value(); }))
    return;
  const bool same = std::ranges::all_of(
      runs, [&](const RunResult& run) { return target_of(run) == target_of(runs.front()); });
  all.server_cpu = runs.front().server_cpu;
  all.server_rss_bytes = runs.front().server_rss_bytes;
  for (const RunResult& run : runs.subspan(1)) {
    if (order == Order::at_once && same) {
      if (run.server_cpu->total_s() > all.server_cpu->total_s()) all.server_cpu = run.server_cpu;
    } else {
      all.server_cpu->user_s += run.server_cpu->user_s;
      all.server_cpu->sys_s += run.server_cpu->sys_s;
    }
    if (!all.server_rss_bytes || !run.server_rss_bytes) continue;
    const bool apart = order == Order::at_once && !same;
    all.server_rss_bytes = apart ? *all.server_rss_bytes + *run.server_rss_bytes
                                 : std::max(*all.server_rss_bytes, *run.server_rss_bytes);
  }
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
    for (const std::string& reason : judge(part).reasons) {
      if (std::ranges::find(reasons, reason) == reasons.end())
        reasons.push_back(fmt::format("run {}: {}", i + 1, reason));
    }
  }
  const auto at = all.warnings.begin() + static_cast<std::ptrdiff_t>(judged);
  all.warnings.insert(at, reasons.begin() + static_cast<std::ptrdiff_t>(judged), reasons.end());
}

}  // namespace

Result<RunResult> merge(std::span<const RunResult> runs, Order order) {
  if (runs.empty()) return failed("no run to merge", {}, 0);
  if (auto alike = require_alike(runs); !alike) return std::unexpected(alike.error());
  if (runs.size() == 1) return runs.front();
  const RunResult& first = runs.front();
  RunResult all;
  all.tool = first.tool;
  all.version = first.version;
  all.role = first.role;
  all.host = first.host;
  all.started = std::ranges::min(runs, {}, &RunResult::started).started;
  all.config = config_of(runs);
  const auto joined_path = [&](std::string Path::* part) {
    std::vector<std::string> values;
    for (const RunResult& run : runs) values.push_back(run.path.*part);
    return joined(std::move(values));
  };
  all.path = {joined_path(&Path::requested), joined_path(&Path::active), {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::string& evidence : runs[i].path.evidence)
      all.path.evidence.push_back(fmt::format("run {}: {}", i + 1, evidence));
    all.interrupted |= runs[i].interrupted;
  }
  all.totals = totals_of(runs, order);
  all.latency = add(runs, [](const RunResult& run) { return &run.latency; });
  all.service = add_optional(runs, &RunResult::service);
  all.lateness = add_optional(runs, &RunResult::lateness);
  all.connect = add_optional(runs, &RunResult::connect);
  all.outcome = outcome_of(runs);
  all.pacing = pacing_of(runs);
  all.delivery = delivery_of(runs);
  add_cpu(all, runs, order);
  add_server(all, runs, order);
  all.checks = checks_of(runs);
  pass_verdict_of_all(all, runs);
  return all;
}

}  // namespace wiremark::report
