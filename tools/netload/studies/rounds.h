// Servers of our own under loads that are to be compared: each run in turn, round by round.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "netload/run.h"
#include "netload/studies/server_process.h"
#include "report.h"
#include "report/study.h"

namespace wiremark::tools {

/// A server, the load that it is put under, and what came of it.
struct Contender {
  std::string name;
  LoadOptions load;
  net::Backend client;  ///< Of the load.
  ServerProcess server;
  std::vector<report::RunResult> rounds = {};

  template <class Figure>
  std::vector<double> each(Figure figure) const {
    std::vector<double> figures;
    for (const report::RunResult& round : rounds) figures.push_back(figure(round));
    return figures;
  }
};

/// Starts the netecho of a load, on `backend`; it rests (SIGSTOP) until its turn comes.
Result<Contender> enter(std::string name, const LoadOptions& load, net::Backend client,
                        net::Backend server, ServerProcess::Listen listen);

/// Runs the load of each contender in turn, `rounds` times, and calls after_round() behind each.
/// Where the hypervisor moves the processors apart, a message costs three times as much: a round in
/// which they were not as far apart as in those before it is left out and run again, up to as
/// many as were asked for. Returns how many that were. Ends early when `stop` is requested.
/// Errors: those of run_load().
Result<unsigned> run_rounds(
    unsigned rounds, std::vector<Contender>& contenders, const std::vector<std::string>& arguments,
    const net::Stop& stop, Signals& signals, const std::function<void()>& after_round = [] {});

/// What stands above and below a study of such runs.
report::Setting setting_of(const LoadOptions& options, std::string about);

/// The worst exit code that a round earned.
int worst_of(const LoadOptions& options, const std::vector<Contender>& contenders);

/// Prints what came of it as asked for: as text, as a document, or as text with the document in a
/// file. Returns the worst exit code that a round earned, kInterrupted where one has no round;
/// make_study() is not asked then.
template <class MakeStudy>
int conclude(const LoadOptions& options, const std::vector<Contender>& contenders,
             MakeStudy&& make_study) {
  for (const Contender& one : contenders) {
    if (one.rounds.empty()) return kInterrupted;
  }
  if (auto done = deliver(make_study(), options.output); !done)
    return cannot("netload", done.error());
  return worst_of(options, contenders);
}

}  // namespace wiremark::tools
