// A network without a kernel: virtual time, one seed, and all of its ends in one thread.
#include "net/sim/network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/mix.h"

namespace wiremark::net::sim {

void Network::at(Nanoseconds at, std::move_only_function<void()> what) {
  assert(at >= now_);
  events_.push_back({at, asked_++, std::move(what)});
  std::ranges::push_heap(events_, later);
}

bool Network::run(const Stop& stop, Nanoseconds end) {
  while (!stop.requested() && !events_.empty()) {
    if (events_.front().at >= end) return false;
    std::ranges::pop_heap(events_, later);
    Event next = std::move(events_.back());
    events_.pop_back();
    now_ = next.at;
    next.what();
  }
  return true;
}

std::uint64_t Network::random() noexcept { return mix(mix(seed_) + drawn_++); }

Nanoseconds Network::arrival(const Path& path, std::size_t bytes, Nanoseconds sent,
                             Nanoseconds& busy_until) noexcept {
  Nanoseconds on_wire = sent;
  if (path.bytes_per_second > 0) {
    const double takes_ns = static_cast<double>(bytes) * kSecond / path.bytes_per_second;
    on_wire = busy_until = std::max(sent, busy_until) + static_cast<Nanoseconds>(takes_ns);
  }
  const double longer_ns = -std::log1p(-share()) * static_cast<double>(path.jitter);
  return on_wire + path.latency + static_cast<Nanoseconds>(longer_ns);
}

}  // namespace wiremark::net::sim
