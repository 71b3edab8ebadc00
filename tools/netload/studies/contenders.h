// The contenders of a study: several loads, each on its server, run in turn, round by round.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "netload/run.h"
#include "netload/studies/server_process.h"
#include "report.h"
#include "report/study.h"
#include "terminal.h"

namespace wiremark::tools {

/// A server, its load, and the results.
struct Contender {
  std::string name;
  LoadOptions load;
  net::Backend client;                  ///< The backend of the load.
  std::optional<ServerProcess> server;  ///< A netecho of ours, if it is one.
  Target target;
  std::vector<report::RunResult> rounds = {};
};

/// Starts the netecho of a load, on `backend`; it is stopped (SIGSTOP) until its turn comes.
Result<Contender> enter(std::string name, const LoadOptions& load, net::Backend client,
                        net::Backend server, ServerProcess::Listen listen);

/// How the rounds of a study went.
struct Course {
  unsigned left_out = 0;                      ///< Rounds that were run again.
  std::optional<report::FailedRound> failed;  ///< With the error of run_load(); it was the last.
};

/// Runs the load of each contender in turn, `rounds` times, and calls after_round() after each
/// round. When a hypervisor moves the processors apart, a message costs three times as much. So a
/// round in which their distance was not that of the rounds before is left out and run again, at
/// most as often as there are rounds. Ends early when `stop` is requested, and when a load cannot
/// be run: the contenders have what was measured until then.
Course run_rounds(
    unsigned rounds, std::vector<Contender>& contenders, const std::vector<std::string>& arguments,
    const net::Stop& stop, Signals& signals, const std::function<void()>& after_round = [] {});

/// How long each run of a study is, in words: its time, or else its messages.
std::string length_in_words(const LoadOptions& options);

/// What is printed above and below a study of such runs.
report::Setting setting_of(const LoadOptions& options, std::string about);

/// Says on standard error which round failed, if one did, and returns the exit code: kCannot then,
/// kInterrupted where a contender has no round, and else the worst of all rounds.
int ending_of(const LoadOptions& options, const std::vector<Contender>& contenders,
              const Course& course);

/// Prints the study as asked for: as text, as a document, or as text with the document in a file.
/// Returns the code of ending_of().
template <class MakeStudy>
int conclude(const LoadOptions& options, const std::vector<Contender>& contenders,
             const Course& course, MakeStudy&& make_study) {
  const auto text_of = [](const auto& study) {
    if constexpr (requires { report::text_report(study, letters_of_terminal()); })
      return report::text_report(study, letters_of_terminal());
    else
      return report::text_report(study);
  };
  if (auto done = deliver(make_study(), options.output, text_of); !done)
    return cannot("netload", done.error());
  return ending_of(options, contenders, course);
}

}  // namespace wiremark::tools
