// What the threads of a load count, and samples of it and of what both ends spend.
#include "netload/load_tally.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "measure/cpu_usage.h"

namespace wiremark::tools {

LoadTally::LoadTally(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) counts_.push_back(std::make_unique<load::Counts>());
}

std::uint64_t LoadTally::sum(Counter load::Counts::* counter) const {
  std::uint64_t total = 0;
  for (const auto& counts : counts_) total += ((*counts).*counter).get();
  return total;
}

measure::Histogram LoadTally::merged(measure::Histogram load::Counts::* histogram) const {
  measure::Histogram all;
  for (const auto& counts : counts_) all.merge((*counts).*histogram);
  return all;
}

void LoadTally::ask_oldest() const {
  for (const auto& counts : counts_) counts->ask_oldest.store(true, std::memory_order_release);
}

std::optional<Nanoseconds> LoadTally::oldest_since(const net::Stop& over,
                                                   Nanoseconds patience) const {
  constexpr auto kPoll = std::chrono::microseconds(200);
  const Nanoseconds asked = now_ns();
  Nanoseconds oldest = kNever;
  for (const auto& counts : counts_) {
    while (counts->ask_oldest.load(std::memory_order_acquire)) {
      if (over.requested() || now_ns() - asked > patience) return std::nullopt;
      std::this_thread::sleep_for(kPoll);
    }
    oldest = std::min(oldest, counts->oldest_ns.load(std::memory_order_relaxed));
  }
  return oldest == kNever ? std::nullopt : std::optional(oldest);
}

LoadSample take_sample(const LoadTally& tally, const net::ReactorStats& reactor) {
  LoadSample sample;
  report::Snapshot& seen = sample.seen;
  seen.at = now_ns();
  seen.messages = tally.sum(&load::Counts::answered);
  seen.bytes_in = tally.sum(&load::Counts::bytes_in);
  seen.bytes_out = tally.sum(&load::Counts::bytes_out);
  seen.errors = tally.sum(&load::Counts::failed);
  seen.connections = tally.sum(&load::Counts::connected) - tally.sum(&load::Counts::closed);
  seen.latency = tally.merged(&load::Counts::response);
  seen.cpu = measure::cpu_of_this_process();
  if (const auto memory = measure::memory_of_process()) seen.rss_bytes = memory->resident_bytes;
  sample.held = tally.sum(&load::Counts::held);
  sample.reactor = reactor;
  if (const auto machine = measure::machine_usage()) sample.machine = *machine;
  return sample;
}

}  // namespace wiremark::tools
