// The TCP segments of one thread's connections: counted by that thread, read by the control thread.
#include "segment_tally.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace wiremark::tools {

void SegmentTally::schedule(Nanoseconds first, Nanoseconds step) noexcept {
  step_.store(step, std::memory_order_relaxed);
  due_.store(first, std::memory_order_relaxed);
}

bool SegmentTally::add_to(report::Packets& packets) const noexcept {
  packets.in += in_.load(std::memory_order_relaxed);
  packets.out += out_.load(std::memory_order_relaxed);
  packets.data_in += data_in_.load(std::memory_order_relaxed);
  packets.data_out += data_out_.load(std::memory_order_relaxed);
  return known_.load(std::memory_order_relaxed);
}

void SegmentTally::note(int fd, net::Segments& sum) noexcept {
  const auto segments = net::segments_of(fd);
  (segments ? tcp_ : other_) = true;
  if (segments) sum += *segments;
}

void SegmentTally::publish(const net::Segments& all, std::uint64_t rounds) noexcept {
  in_.store(all.in, std::memory_order_relaxed);
  out_.store(all.out, std::memory_order_relaxed);
  data_in_.store(all.data_in, std::memory_order_relaxed);
  data_out_.store(all.data_out, std::memory_order_relaxed);
  known_.store(tcp_ || !other_, std::memory_order_relaxed);
  rounds_.fetch_add(rounds, std::memory_order_release);
}

SegmentTallies::SegmentTallies(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) tallies_.push_back(std::make_unique<SegmentTally>());
}

void SegmentTallies::schedule(Nanoseconds first, Nanoseconds step) noexcept {
  for (const auto& tally : tallies_) tally->schedule(first, step);
}

void SegmentTallies::await_round() noexcept {
  constexpr Nanoseconds kPatience = 100 * kMillisecond;
  constexpr auto kPoll = std::chrono::microseconds(200);
  ++rounds_;
  const Nanoseconds end = now_ns() + kPatience;
  const auto behind = [this](const auto& tally) { return tally->rounds() < rounds_; };
  while (std::ranges::any_of(tallies_, behind) && now_ns() < end)
    std::this_thread::sleep_for(kPoll);
}

std::optional<report::Packets> SegmentTallies::packets() const noexcept {
  report::Packets sum;
  bool known = false;
  for (const auto& tally : tallies_) known |= tally->add_to(sum);
  if (!known) return std::nullopt;
  return sum;
}

}  // namespace wiremark::tools
