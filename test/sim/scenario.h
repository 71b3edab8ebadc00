// One run of a load against netecho's handlers over a simulated network, held against its record.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "load/counts.h"
#include "load/exchange/exchanges.h"
#include "load/plan/plan.h"
#include "net/sim/end.h"

namespace wiremark::load {

struct Scenario {
  std::uint64_t seed = 1;
  Plan plan;  ///< Its target and schedule are filled in.
  bool poisson = false;
  bool datagrams = false;
  ExchangeOptions exchange;
  net::sim::EndOptions load;
  net::sim::EndOptions server;
  Nanoseconds tick = 0;                  ///< The server is the staged one, which walks so often.
  Nanoseconds listens_at = 0;            ///< kNever: nobody listens.
  std::vector<Nanoseconds> resets;       ///< When one connection, whichever, is reset.
  std::vector<Nanoseconds> half_closes;  ///< When the server ends its side of one.
  Nanoseconds give_up = 0;               ///< Ends the run so long after its start; 0 is never.
};

/// All times of a scenario count from here, which is the earliest that the load may start at.
inline constexpr Nanoseconds kEpoch = kSecond;

struct Played {
  std::vector<std::string> differences;  ///< From the record, and invariants that do not hold.
  std::unique_ptr<Counts> counts;        ///< Of the first thread.
  Nanoseconds started = 0;
  Nanoseconds ended = 0;
  std::uint64_t planned = 0, sent = 0, answered = 0, late = 0, failed = 0;  ///< Of all threads.
};

/// Plays it to its end, in virtual time.
Played play(const Scenario& scenario);

}  // namespace wiremark::load
