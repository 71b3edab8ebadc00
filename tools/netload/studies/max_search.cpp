// The search for the highest rate: doubles, halves, and repeats what may have been chance.
#include "netload/studies/max_search.h"

#include <algorithm>

namespace wiremark::tools {

namespace {

constexpr double kLowestRate = 1;
constexpr double kBracket = 1.05;
constexpr std::size_t kRepeats = 3;

}  // namespace

Result<> MaxSearch::run() {
  double rate = first_hz_;
  while (!over() && rate >= kLowestRate && (kept_hz_ == 0 || failed_hz_ > kept_hz_ * kBracket)) {
    const auto kept = keeps(rate);
    if (!kept) return std::unexpected(kept.error());
    (*kept ? kept_hz_ : failed_hz_) = rate;
    if (std::isinf(failed_hz_)) {
      rate = 2 * kept_hz_;
    } else {
      rate = kept_hz_ == 0 ? failed_hz_ / 4 : std::sqrt(kept_hz_ * failed_hz_);
    }
  }
  return confirm();
}

// The machine, not the server, may be at fault once, so a rate that failed is tried again.
Result<bool> MaxSearch::keeps(double rate_hz) {
  auto kept = probe(rate_hz);
  if (kept && !*kept && !over()) kept = probe(rate_hz);
  return kept;
}

// Repeats the highest rate that was kept; if that was chance, goes down by the width of the
// bracket.
Result<> MaxSearch::confirm() {
  while (kept_hz_ > 0 && !over()) {
    const auto of_rate = [this](const Probe& one) { return one.rate_hz == kept_hz_; };
    while (std::ranges::count_if(probes_, of_rate) < static_cast<std::ptrdiff_t>(kRepeats) &&
           !over()) {
      if (auto kept = probe(kept_hz_); !kept) return std::unexpected(kept.error());
    }
    const auto good =
        std::ranges::count_if(probes_, [&](const Probe& one) { return of_rate(one) && one.kept; });
    if (2 * good > std::ranges::count_if(probes_, of_rate)) return {};
    failed_hz_ = kept_hz_;
    kept_hz_ /= kBracket;
  }
  return {};
}

Result<bool> MaxSearch::probe(double rate_hz) {
  auto probe = prober_(rate_hz);
  if (!probe) return std::unexpected(probe.error());
  probes_.push_back(std::move(*probe));
  return probes_.back().kept;
}

std::vector<const Probe*> MaxSearch::best() const {
  std::vector<const Probe*> best;
  for (const Probe& probe : probes_) {
    if (probe.rate_hz == kept_hz_ && probe.kept) best.push_back(&probe);
  }
  return best;
}

std::size_t MaxSearch::tries() const {
  return static_cast<std::size_t>(std::ranges::count(probes_, kept_hz_, &Probe::rate_hz));
}

const Probe* MaxSearch::next() const {
  const Probe* found = nullptr;
  for (const Probe& probe : probes_) {
    if (probe.rate_hz == failed_hz_ && !probe.kept) found = &probe;
  }
  return found;
}

}  // namespace wiremark::tools
