// One run of a load against netecho's handlers over a simulated network, held against its record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "answer_end.h"
#include "load/counts.h"
#include "load/exchange/exchanges.h"
#include "load/plan/plan.h"
#include "net/sim/end.h"
#include "netload/load_tally.h"
#include "report/result.h"

namespace wiremark::load {

struct Scenario {
  std::uint64_t seed = 1;
  Plan plan;  ///< Its target and schedule are filled in.
  bool poisson = false;
  bool datagrams = false;
  ExchangeOptions exchange;
  Answering answer = {};  ///< What the server answers; none: it is a netecho.
  net::sim::EndOptions load;
  net::sim::EndOptions server;
  Nanoseconds tick = 0;                  ///< If not 0, the server is the staged one with this tick.
  Nanoseconds listens_at = 0;            ///< kNever: nobody listens.
  std::vector<Nanoseconds> resets;       ///< When a random connection is reset.
  std::vector<Nanoseconds> half_closes;  ///< When the server ends its side of a random one.
  Nanoseconds asks_oldest = 0;           ///< When it is asked what waits longest; 0: never.
  Nanoseconds give_up = 0;               ///< Ends the run this long after its start; 0: never.
};

/// All times of a scenario count from here, which is the earliest that the load may start at.
inline constexpr Nanoseconds kEpoch = kSecond;

struct Played {
  explicit Played(std::size_t threads) : tally(threads) {}

  std::vector<std::string>
      differences;         ///< Figures that differ from the record, and broken invariants.
  tools::LoadTally tally;  ///< Of all threads.
  const Counts* counts = &tally.front();  ///< Of the first.
  report::RunResult result;  ///< With what follows from the counts; empty where it never began.
  Nanoseconds started = 0;
  Nanoseconds ended = 0;
  std::uint64_t planned = 0, sent = 0, answered = 0, late = 0, failed = 0;  ///< Of all threads.
  std::uint64_t opened_again = 0, repeated = 0;
};

/// Plays a scenario to its end, in virtual time.
Played play(const Scenario& scenario);

}  // namespace wiremark::load
