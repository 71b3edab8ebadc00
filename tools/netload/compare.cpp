// Backends against one another: the same load on each in turn, round by round, as one table.
#include "netload/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/core_distance.h"
#include "measure/verdict.h"
#include "netload/comparison.h"
#include "printing.h"
#include "report.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

Result<std::vector<Contender>> start_servers(const LoadOptions& options) {
  std::vector<Contender> contenders;
  for (const net::Backend backend : options.compare) {
    auto server = ServerProcess::start(server_arguments(options, backend));
    if (!server) return std::unexpected(server.error());
    server->rest();
    contenders.push_back({backend, std::move(*server), {}});
  }
  return contenders;
}

// Where the hypervisor moves the processors apart in mid-round, a message costs three times as much
// for one contender and not for the other: such a round is run again, up to as many as were asked
// for. Returns how many were left out.
Result<unsigned> run_rounds(const LoadOptions& options, std::vector<Contender>& contenders,
                            net::Backend client, const std::vector<std::string>& arguments,
                            const net::Stop& stop, Signals& signals) {
  const bool progress = wants_progress(options.output.progress, options.output.quiet);
  LoadOptions quietly = options;
  quietly.output.progress = "off";
  unsigned left_out = 0;
  for (unsigned round = 0; round < options.rounds && !stop.requested();) {
    std::vector<measure::RunResult> results;
    for (std::size_t i = 0; i < contenders.size() && !stop.requested(); ++i) {
      // The order turns with the round, so that none is always first.
      const Contender& contender = contenders[(i + round) % contenders.size()];
      if (progress) {
        draw_progress(fmt::format("round {} of {}: {}", round + 1, options.rounds,
                                  net::to_string(contender.backend)));
      }
      contender.server.go_on();
      auto result = run_load(quietly, client, {contender.server.address(), contender.server.pid()},
                             arguments, stop, signals);
      contender.server.rest();
      if (!result) return std::unexpected(result.error());
      measure::pass_verdict(*result);
      results.push_back(std::move(*result));
    }
    const auto [nearest, farthest] = distances_of(results);
    if (!measure::same_place(nearest, farthest) && left_out < options.rounds && !stop.requested()) {
      ++left_out;
      continue;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      contenders[(i + round) % contenders.size()].rounds.push_back(std::move(results[i]));
    ++round;
  }
  if (progress) wipe_progress();
  return left_out;
}

}  // namespace

int compare(const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop, Signals& signals) {
  const auto client = settle_backend("netload", options.backend, options.output.quiet);
  if (!client) return cannot("netload", client.error());
  auto contenders = start_servers(options);
  if (!contenders) return cannot("netload", contenders.error());
  const auto left_out = run_rounds(options, *contenders, *client, arguments, stop, signals);
  if (!left_out) return cannot("netload", left_out.error());
  if (std::ranges::any_of(*contenders, [](const Contender& one) { return one.rounds.empty(); }))
    return kInterrupted;

  const bool to_output = options.output.json == "-";
  if (to_output) {
    write_out(comparison_document(*contenders, *left_out));
  } else {
    print_comparison(options, *contenders, *left_out);
    if (!options.output.json.empty()) {
      const auto written =
          write_file(options.output.json, comparison_document(*contenders, *left_out));
      if (!written) return cannot("netload", written.error());
    }
  }
  int worst = kDone;
  for (const Contender& contender : *contenders) {
    for (const measure::RunResult& round : contender.rounds)
      worst = std::max<int>(worst, exit_code(round, options));
  }
  return worst;
}

}  // namespace wiremark::tools
