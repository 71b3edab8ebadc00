// Several results added into one.
#include "report/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "measure/quantity.h"
#include "report/adding.h"
#include "report/merge_intervals.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

using Runs = std::span<const RunResult>;

using Names = std::span<const std::string>;

std::string name_of(std::size_t place, Names names) {
  return place < names.size() ? names[place] : fmt::format("run {}", place + 1);
}

Result<> require_alike(Runs runs, Names names) {
  const RunResult& first = runs.front();
  const auto differ = [&](std::size_t place, const std::string& what) {
    return failed(
        fmt::format("{} cannot be added to {}: {}", name_of(place, names), name_of(0, names), what),
        {}, 0);
  };
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const RunResult& run = runs[i];
    if (run.tool != first.tool)
      return differ(i, fmt::format("it is of {}, not of {}", run.tool, first.tool));
    if (run.latency.from != first.latency.from) {
      return differ(i, fmt::format("its latency counts from the {}, not from the {}",
                                   run.latency.from, first.latency.from));
    }
    if (run.pacing.has_value() != first.pacing.has_value())
      return differ(i, "one has a rate and the other has none");
    if (run.delivery.has_value() != first.delivery.has_value() ||
        run.totals.datagrams.has_value() != first.totals.datagrams.has_value())
      return differ(i, "one is over UDP and the other is not");
  }
  return {};
}

/// When a run was, in seconds since 1970.
struct Time {
  double from = 0;
  double to = 0;
};

// Older results say in which second the run was started, and not when its measured part began. If
// one of the runs is such a result, all are placed by that second.
constexpr double kSecondOfStart = 1;

bool all_say_when_measured(Runs runs) {
  return std::ranges::all_of(runs,
                             [](const RunResult& run) { return run.measured_from.has_value(); });
}

Time time_of(const RunResult& run, bool measured) {
  const auto started = std::chrono::duration<double>(parse_moment(run.started).time_since_epoch());
  const double from = measured ? *run.measured_from : started.count();
  return {from, from + run.totals.seconds};
}

std::string text_of(const Time& time) {
  const auto clock = [](double at) {
    const auto since = std::chrono::duration_cast<std::chrono::system_clock::duration>(
        std::chrono::duration<double>(at));
    return format_moment(std::chrono::system_clock::time_point(since));
  };
  return fmt::format("{} for {}", clock(time.from), format_time((time.to - time.from) * kSecond));
}

// Rates may be added only of runs that overlapped, and times only of runs that did not.
Result<> require_order(Runs runs, Names names, Order order) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].measured_from || parse_moment(runs[i].started).time_since_epoch().count() > 0)
      continue;
    return failed(fmt::format("{} does not say when it ran (started, measured_from), so that "
                              "nobody can tell whether it overlapped the others",
                              name_of(i, names)),
                  {}, 0);
  }
  const bool measured = all_say_when_measured(runs);
  const double unsure = measured ? 0 : kSecondOfStart;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Time one = time_of(runs[j], measured), other = time_of(runs[i], measured);
      const double common = std::min(one.to, other.to) - std::max(one.from, other.from);
      const bool at_once = order == Order::at_once;
      if (at_once ? common + unsure > 0 : common - unsure <= 0) continue;
      return failed(fmt::format("{} ({}) and {} ({}) {}", name_of(j, names), text_of(one),
                                name_of(i, names), text_of(other),
                                at_once ? "did not run at once, so that their rates do not add up "
                                          "(--in-turn adds runs that followed one another)"
                                        : "ran at once, so that their times do not add up (leave "
                                          "out --in-turn)"),
                    {}, 0);
    }
  }
  return {};
}

// Why the added rates were never there at once; empty where the runs overlapped for at least nine
// tenths of the longest.
std::string little_in_common(Runs runs) {
  constexpr double kCommonMin = 0.9;
  if (!all_say_when_measured(runs)) return {};
  Time common = time_of(runs.front(), true);
  double longest = 0;
  for (const RunResult& run : runs) {
    const Time time = time_of(run, true);
    common = {std::max(common.from, time.from), std::min(common.to, time.to)};
    longest = std::max(longest, run.totals.seconds);
  }
  const double seconds = std::max(0., common.to - common.from);
  if (seconds >= kCommonMin * longest) return {};
  return fmt::format("the runs had {} of {} in common: their rates were not all there at once",
                     format_time(seconds * kSecond), format_time(longest * kSecond));
}

std::vector<Check> checks_of(Runs runs) {
  std::vector<Check> checks;
  for (const RunResult& run : runs) {
    for (const Check& check : run.checks) {
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

std::vector<std::string> evidence_of(Runs runs) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::string& evidence : runs[i].path.evidence)
      all.push_back(fmt::format("run {}: {}", i + 1, evidence));
  }
  return all;
}

bool have_equal_cores(Runs runs) {
  return std::ranges::all_of(runs, [&](const RunResult& run) {
    return run.host.cores_allowed == runs.front().host.cores_allowed &&
           run.host.cores_online == runs.front().host.cores_online;
  });
}

// Runs at once against one server have seen each other's connections. Those that are left over
// are of others, by the run that saw most of them.
std::optional<OtherClients> strangers_of(Runs runs) {
  std::uint64_t ours = 0;
  for (const RunResult& run : runs) ours += run.totals.connections;
  std::optional<OtherClients> strangers;
  std::uint64_t most = 0;
  for (const RunResult& run : runs) {
    if (!run.other_clients) return std::nullopt;
    const std::uint64_t of_the_others = ours - run.totals.connections;
    const std::uint64_t seen = run.other_clients->connections;
    if (seen <= of_the_others + most) continue;
    most = seen - of_the_others;
    strangers = run.other_clients;
  }
  return strangers;
}

// Those of sums that are added again stay apart.
std::vector<Generator> generators_of(Runs runs, Names names, std::span<const Generator> lost) {
  std::vector<Generator> generators;
  const bool measured = all_say_when_measured(runs);
  const auto began = [&](const RunResult& run) { return measured ? *run.measured_from : 0; };
  const double first = began(*std::ranges::min_element(runs, {}, began));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Generator> own =
        runs[i].generators.value_or(std::vector{generator_of(runs[i], name_of(i, names))});
    for (Generator& one : own) {
      if (measured) one.began_s = one.began_s.value_or(0) + began(runs[i]) - first;
      generators.push_back(std::move(one));
    }
  }
  generators.insert(generators.end(), lost.begin(), lost.end());
  return generators;
}

bool has_reason(const std::vector<Doubt>& doubts, const std::string& reason) {
  return std::ranges::find(doubts, reason, &Doubt::reason) != doubts.end();
}

// What stands against a run in whatever it is a part of: what no run can have measured, and what
// its verdict has from elsewhere than its figures, such as from the runs that it is the sum of.
std::vector<Doubt> lasting_doubts(const RunResult& run) {
  std::vector<Doubt> doubts = judge_bounds(run).doubts;
  const Judgement of_figures = judge(run);
  const Verdict verdict = run.verdict.value_or(Verdict());
  for (const std::string& reason : verdict.reasons) {
    if (has_reason(of_figures.doubts, reason) || has_reason(doubts, reason)) continue;
    std::vector<std::string>& hit = doubts.emplace_back(Doubt{reason, {}}).figures;
    for (const std::string& figure : of_figures.figures) {
      const std::vector<std::string>& against = verdict.reasons_against(figure);
      if (std::ranges::find(against, reason) != against.end()) hit.push_back(figure);
    }
  }
  return doubts;
}

void pass_verdict_of_all(RunResult& all, Runs runs, Order order) {
  const bool one_server =
      order == Order::at_once && std::ranges::all_of(runs, [&](const RunResult& run) {
        return run.option("target") == runs.front().option("target");
      });
  if (one_server) all.other_clients = strangers_of(runs);
  Judgement judgement = judge(all);
  if (order == Order::at_once) {
    if (std::string reason = little_in_common(runs); !reason.empty()) {
      std::vector<std::string> figures = judgement.figures;
      std::erase(figures, kCost);
      judgement.doubts.push_back({std::move(reason), std::move(figures)});
    }
  }
  for (std::size_t i = 0; all.role == Role::generator && i < runs.size(); ++i) {
    std::vector<Doubt> doubts = lasting_doubts(runs[i]);
    // In the sum a generator at its limit is hidden by the others, so each part is judged too. With
    // the messages of the whole: that a part had few of them is no reason for doubt.
    RunResult part = runs[i];
    part.latency = all.latency;
    part.least = all.least;
    part.totals.messages = all.totals.messages;
    if (one_server) part.other_clients = all.other_clients;
    std::ranges::move(judge(part).doubts, std::back_inserter(doubts));
    for (Doubt& doubt : doubts) {
      if (has_reason(judgement.doubts, doubt.reason)) continue;
      doubt.reason = fmt::format("run {}: {}", i + 1, doubt.reason);
      judgement.doubts.push_back(std::move(doubt));
    }
  }
  pass_verdict(all, std::move(judgement));
}

// What some run does not know of the server's time, but for what another knows of the same server.
std::optional<UnknownParts> unknown_parts_of(std::span<const RunResult> runs,
                                             const std::optional<CpuShare>& sum) {
  if (!sum) return std::nullopt;
  UnknownParts unknown;
  for (const PartOfRun& part : kPartsOfRun) {
    if ((*sum).*part.spent_s) continue;
    for (const RunResult& run : runs) {
      if (!run.server_parts_unknown) continue;
      const UnknownParts& of_run = *run.server_parts_unknown;
      const auto found = std::ranges::find(of_run, part.field, &UnknownParts::value_type::first);
      if (found == of_run.end()) continue;
      unknown.push_back(*found);
      break;
    }
  }
  return unknown.empty() ? std::nullopt : std::optional(unknown);
}

}  // namespace

Generator generator_of(const RunResult& run, const std::string& name) {
  Generator generator{.name = name, .host = {}, .lost = {}, .verdict = {}};
  if (run.verdict) generator.verdict = run.verdict->words();
  generator.messages = run.totals.messages;
  generator.us_cpu_per_message = run.us_cpu_per_message();
  return generator;
}

Result<RunResult> merge(std::span<const RunResult> runs, Order order,
                        std::span<const std::string> names, std::span<const Generator> lost) {
  if (runs.empty()) return failed("no run to merge", {}, 0);
  if (auto alike = require_alike(runs, names); !alike) return std::unexpected(alike.error());
  if (runs.size() == 1 && lost.empty()) return runs.front();
  if (auto fits = require_order(runs, names, order); !fits) return std::unexpected(fits.error());
  RunResult all = runs.front();
  all.warnings.clear();
  Missed missed;
  Adding adding = {.order = order, .missed = &missed};
  for (const RunResult& run : runs.subspan(1)) {
    adding.place += 1;
    adding.weight += runs[adding.place - 1].totals.seconds;
    adding.weight_more = run.totals.seconds;
    adding.same_server =
        order == Order::at_once && run.option("target") == runs.front().option("target");
    add_fields(all, run, adding);
  }
  all.path.evidence = evidence_of(runs);
  if (!have_equal_cores(runs)) all.host.cores_allowed = all.host.cores_online = 0;
  if (!all.server_cpu) all.server.reset();
  all.server_parts_unknown = unknown_parts_of(runs, all.server_cpu);
  if (order == Order::at_once && all.role == Role::generator)
    all.generators = generators_of(runs, names, lost);
  all.checks = checks_of(runs);
  all.intervals = intervals_of(runs, order);
  for (const auto& [part, place] : missed)
    all.warnings.push_back(
        fmt::format("the sum is without {}, which {} lacks", part, name_of(place, names)));
  pass_verdict_of_all(all, runs, order);
  return all;
}

}  // namespace wiremark::report
