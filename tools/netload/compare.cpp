// Backends against one another: the same load on each in turn, round by round, as one table.
#include "netload/compare.h"

#include "netload/comparison.h"
#include "report.h"

namespace wiremark::tools {

int compare(const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop, Signals& signals) {
  const auto client = usable_backend("netload", options.backend, options.output.quiet);
  if (!client) return cannot("netload", client.error());
  std::vector<Contender> contenders;
  for (const net::Backend backend : options.compare) {
    auto one = enter(std::string(net::to_string(backend)), options, *client, backend,
                     ServerProcess::Listen::tcp);
    if (!one) return cannot("netload", one.error());
    contenders.push_back(std::move(*one));
  }
  const auto left_out = run_rounds(options.rounds, contenders, arguments, stop, signals);
  if (!left_out) return cannot("netload", left_out.error());
  return conclude(
      options, contenders, [&] { print_comparison(options, contenders, *left_out); },
      [&] { return comparison_document(contenders, *left_out); });
}

}  // namespace wiremark::tools
