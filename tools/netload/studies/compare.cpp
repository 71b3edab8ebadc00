// Backends against one another: the same load on each in turn, round by round, as one table.
#include "netload/studies/compare.h"

#include <fmt/format.h>

#include "base/units.h"
#include "measure/quantity.h"
#include "netload/studies/rounds.h"
#include "printing.h"
#include "report.h"

namespace wiremark::tools {

namespace {

std::string about(const LoadOptions& options, std::size_t rounds) {
  const bool open_loop = options.rate_hz + options.total_rate_hz > 0;
  const std::string length =
      options.time.duration > 0
          ? format_duration(options.time.duration)
          : measure::format_counted(static_cast<std::uint64_t>(options.requests), "message");
  return fmt::format("{}, {}, {}, {} of {} each in turn, every reply {}",
                     measure::format_counted(options.connections, "connection"),
                     load::in_words(options.exchange), open_loop ? "open loop" : "closed loop",
                     measure::format_counted(rounds, "round"), length,
                     options.no_verify ? "counted" : "verified");
}

// Those of options.compare that run here. One that does not is left out of the table, and a line
// says why and how to allow it. Errors: none runs.
Result<std::vector<net::Backend>> runnable(const LoadOptions& options) {
  std::vector<net::Backend> backends;
  std::vector<Error> denied;
  for (const net::Backend backend : options.compare) {
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

}  // namespace

int compare(const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop, Signals& signals) {
  const auto backends = runnable(options);
  if (!backends) return cannot("netload", backends.error());
  const bool told = backends->size() < options.compare.size();
  const auto client = usable_backend("netload", options.backend, told || options.output.quiet);
  if (!client) return cannot("netload", client.error());
  std::vector<Contender> contenders;
  for (const net::Backend backend : *backends) {
    auto one = enter(std::string(net::to_string(backend)), options, *client, backend,
                     ServerProcess::Listen::tcp);
    if (!one) return cannot("netload", one.error());
    contenders.push_back(std::move(*one));
  }
  const auto left_out = run_rounds(options.rounds, contenders, arguments, stop, signals);
  if (!left_out) return cannot("netload", left_out.error());
  return conclude(options, contenders, [&] {
    report::Comparison study;
    study.setting = setting_of(options, about(options, contenders.front().rounds.size()));
    study.rounds_left_out = *left_out;
    for (const Contender& one : contenders) study.backends.push_back({one.name, one.rounds});
    return remade(std::move(study));
  });
}

}  // namespace wiremark::tools
