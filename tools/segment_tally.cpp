// The TCP segments of one thread's connections: counted by that thread, read by the control thread.
#include "segment_tally.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace wiremark::tools {

void SegmentTally::schedule(Nanoseconds first, Nanoseconds step, Nanoseconds end) noexcept {
  step_.store(step, std::memory_order_relaxed);
  is_first_.store(true);
  round_at_.store(first, std::memory_order_relaxed);
  end_at_.store(end, std::memory_order_relaxed);
  due_.store(std::min(first, end), std::memory_order_release);
}

bool SegmentTally::add(report::Packets& packets, const Kept& kept) noexcept {
  packets.in += kept.in.load(std::memory_order_relaxed);
  packets.out += kept.out.load(std::memory_order_relaxed);
  packets.data_in += kept.data_in.load(std::memory_order_relaxed);
  packets.data_out += kept.data_out.load(std::memory_order_relaxed);
  return kept.known.load(std::memory_order_relaxed);
}

void SegmentTally::note(int fd, net::Segments& sum) noexcept {
  const auto segments = net::segments_of(fd);
  (segments ? tcp_ : other_) = true;
  if (segments) sum += *segments;
}

void SegmentTally::keep(const net::Segments& all, Kept& kept) const noexcept {
  kept.in.store(all.in, std::memory_order_relaxed);
  kept.out.store(all.out, std::memory_order_relaxed);
  kept.data_in.store(all.data_in, std::memory_order_relaxed);
  kept.data_out.store(all.data_out, std::memory_order_relaxed);
  kept.known.store(tcp_ || !other_, std::memory_order_relaxed);
}

SegmentTallies::SegmentTallies(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) tallies_.push_back(std::make_unique<SegmentTally>());
}

void SegmentTallies::schedule(Nanoseconds first, Nanoseconds step, Nanoseconds end) noexcept {
  for (const auto& tally : tallies_) tally->schedule(first, step, end);
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

std::optional<report::Packets> SegmentTallies::sum(Add add) const noexcept {
  report::Packets sum;
  bool known = false;
  for (const auto& tally : tallies_) known |= ((*tally).*add)(sum);
  return known ? std::optional(sum) : std::nullopt;
}

std::optional<report::Packets> SegmentTallies::packets() const noexcept {
  return sum(&SegmentTally::add_to);
}

std::optional<report::Packets> SegmentTallies::first_packets() const noexcept {
  return sum(&SegmentTally::add_first_to);
}

std::optional<report::Packets> SegmentTallies::end_packets() const noexcept {
  return sum(&SegmentTally::add_end_to);
}

}  // namespace wiremark::tools
