// The contenders of a study: several loads, each on its server, run in turn, round by round.
#include "netload/studies/contenders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpus.h"
#include "base/units.h"
#include "measure/core_distance.h"
#include "measure/quantity.h"
#include "printing.h"
#include "report.h"
#include "report/verdict.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

// Whether the processors were equally far apart during this round and in the rounds that were kept.
// A distance varies a bit; its least value is what repeats from round to round.
bool at_one_distance(const std::vector<Contender>& contenders,
                     std::span<const report::RunResult> round) {
  const auto [nearest, farthest] = report::distances_of(round);
  Nanoseconds before = 0;
  for (const Contender& contender : contenders) {
    const Nanoseconds near = report::distances_of(contender.rounds).first;
    if (near > 0) before = before == 0 ? near : std::min(before, near);
  }
  return measure::same_distance(nearest, farthest) && measure::same_distance(nearest, before);
}

}  // namespace

Result<Contender> enter(std::string name, const LoadOptions& load, net::Backend client,
                        net::Backend server, ServerProcess::Listen listen) {
  auto started = ServerProcess::start(load, server, listen);
  if (!started) return std::unexpected(started.error());
  started->pause();
  const Target target = started->target();
  return Contender{std::move(name), load, client, std::move(*started), target};
}

Course run_rounds(unsigned rounds, std::vector<Contender>& contenders,
                  const std::vector<std::string>& arguments, const net::Stop& stop,
                  Signals& signals, const std::function<void()>& after_round) {
  const OutputOptions& output = contenders.front().load.output;
  const bool progress = wants_progress(output.progress, output.quiet);
  Course course;
  const auto ends = [&] { return stop.requested() || course.failed; };
  for (unsigned round = 0; round < rounds && !ends();) {
    std::vector<report::RunResult> results;
    for (std::size_t i = 0; i < contenders.size() && !stop.requested(); ++i) {
      // The order rotates, so that none is always first.
      const Contender& contender = contenders[(i + round) % contenders.size()];
      if (progress)
        draw_progress(fmt::format("round {} of {}: {}", round + 1, rounds, contender.name));
      LoadOptions quietly = contender.load;
      quietly.output.progress = "off";
      if (contender.server) contender.server->go_on();
      auto result = run_load(quietly, contender.client, contender.target, arguments, stop, signals);
      if (contender.server) contender.server->pause();
      if (!result) {
        course.failed = {contender.name, round + 1, result.error().message()};
        break;
      }
      report::pass_verdict(*result);
      results.push_back(std::move(*result));
    }
    if (!at_one_distance(contenders, results) && course.left_out < rounds && !ends()) {
      ++course.left_out;
      continue;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      contenders[(i + round) % contenders.size()].rounds.push_back(std::move(results[i]));
    after_round();
    ++round;
  }
  if (progress) wipe_progress();
  return course;
}

std::string length_in_words(const LoadOptions& options) {
  if (options.time.duration > 0) return format_duration(options.time.duration);
  return measure::format_counted(static_cast<std::uint64_t>(options.requests), "message");
}

report::Setting setting_of(const LoadOptions& options, std::string about) {
  std::string processors = "not pinned";
  if (!options.server_cpus.empty()) {
    processors = fmt::format("client on {}, server on {}", format_cpus(options.threads.cpus),
                             format_cpus(options.server_cpus));
  }
  return {std::move(about), std::move(processors)};
}

int ending_of(const LoadOptions& options, const std::vector<Contender>& contenders,
              const Course& course) {
  if (course.failed) return cannot("netload", {report::in_words(*course.failed), 0, {}});
  int worst = kDone;
  for (const Contender& contender : contenders) {
    if (contender.rounds.empty()) return kInterrupted;
    for (const report::RunResult& round : contender.rounds)
      worst = std::max<int>(worst, exit_code(round, options));
  }
  return worst;
}

}  // namespace wiremark::tools
