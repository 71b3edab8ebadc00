// Compares backends, or targets: the load on each in turn, round by round, as one table.
#include "netload/studies/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/quantity.h"
#include "netload/choose_address.h"
#include "netload/find_server.h"
#include "netload/studies/contenders.h"
#include "printing.h"
#include "report.h"

namespace wiremark::tools {

namespace {

// Whether replies were compared with anything, in every run.
bool all_verified(const std::vector<Contender>& contenders) {
  const std::pair<std::string, std::string> wanted{"verify", "on"};
  return std::ranges::all_of(contenders, [&](const Contender& one) {
    if (one.rounds.empty()) return true;
    const auto& config = one.rounds.front().config;
    return std::ranges::find(config, wanted) != config.end();
  });
}

std::string about(const std::vector<Contender>& contenders) {
  const LoadOptions& options = contenders.front().load;
  const std::size_t rounds = contenders.front().rounds.size();
  const std::string words = load::in_words(options.exchange);
  const bool alike = std::ranges::all_of(
      contenders, [&](const Contender& one) { return load::in_words(one.load.exchange) == words; });
  const bool open_loop = options.rate_hz + options.total_rate_hz > 0;
  return fmt::format("{}, {}, {}, {} of {} each in turn, every reply {}",
                     measure::format_counted(options.connections, "connection"),
                     alike ? words : "each in its own protocol",
                     open_loop ? "open loop" : "closed loop",
                     measure::format_counted(rounds, "round"), length_in_words(options),
                     all_verified(contenders) ? "verified" : "counted");
}

// The backends of options.compare that can run here. Another one is left out of the table, and a
// line says why and what would allow it. Errors: none can run.
Result<std::vector<net::Backend>> runnable(const LoadOptions& options) {
  std::vector<net::Backend> backends;
  std::vector<Error> denied;
  for (const net::Backend backend : options.compare.backends) {
    if (const auto choice = net::choose_backend(backend))
      backends.push_back(backend);
    else
      denied.push_back(choice.error());
  }
  if (backends.empty()) return std::unexpected(denied.front());
  for (const Error& error : denied)
    print_err("netload: no row for what cannot run here: {}\n", error.message());
  return backends;
}

Result<std::vector<Contender>> enter_backends(const LoadOptions& options) {
  const auto backends = runnable(options);
  if (!backends) return std::unexpected(backends.error());
  const bool told = backends->size() < options.compare.backends.size();
  const auto client = usable_backend("netload", options.backend, told || options.output.quiet);
  if (!client) return std::unexpected(client.error());
  std::vector<Contender> contenders;
  for (const net::Backend backend : *backends) {
    auto one = enter(std::string(net::to_string(backend)), options, *client, backend,
                     ServerProcess::Listen::tcp);
    if (!one) return std::unexpected(one.error());
    contenders.push_back(std::move(*one));
  }
  return contenders;
}

Result<std::vector<Contender>> enter_targets(const LoadOptions& options, const net::Stop& stop) {
  const auto client = usable_backend("netload", options.backend, options.output.quiet);
  if (!client) return std::unexpected(client.error());
  std::vector<Contender> contenders;
  for (const std::string& name : options.compare.targets) {
    LoadOptions load = for_target(options, name);
    if (std::string wrong = complete(load); !wrong.empty())
      return failed(name + ": " + wrong, {}, 0);
    const auto address = choose_address(load, stop);
    if (!address) return std::unexpected(address.error());
    contenders.push_back({name, std::move(load), *client, std::nullopt, find_server(*address)});
  }
  return contenders;
}

}  // namespace

int compare(const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop, Signals& signals) {
  auto contenders =
      options.compare.targets.empty() ? enter_backends(options) : enter_targets(options, stop);
  if (!contenders) return cannot("netload", contenders.error());
  const Course course = run_rounds(options.rounds, *contenders, arguments, stop, signals);
  // In the first round the order is that of the table: whose row is missing is at its end.
  if (contenders->front().rounds.empty()) return ending_of(options, *contenders, course);
  return conclude(options, *contenders, course, [&] {
    report::Comparison study;
    study.setting = setting_of(options, about(*contenders));
    study.rounds_left_out = course.left_out;
    study.failed = course.failed;
    for (const Contender& one : *contenders) {
      if (!one.rounds.empty())
        study.backends.push_back({one.name, one.rounds});
      else if (!course.failed || course.failed->name != one.name)
        print_err("netload: no row for {}: it had no round yet\n", one.name);
    }
    return remade(std::move(study));
  });
}

}  // namespace wiremark::tools
