// When the ranks of a load begin: what rank 0 proposes, until all have agreed.
#include "netload-mpi/agreement.h"

namespace wiremark::tools {

namespace {

// A rank that the scheduler holds up for a tenth of a second has still answered in time.
constexpr Nanoseconds kFirstLead = kSecond / 2;
constexpr Nanoseconds kLongestLead = 16 * kSecond;

}  // namespace

std::optional<Agreement::Proposal> Agreement::propose(Nanoseconds now) {
  if (last_.number == 0) {
    last_.lead = kFirstLead;
  } else {
    if (reached() || given_up_) return std::nullopt;
    if (!too_late_ && now - told_ < last_.lead / 4) return std::nullopt;
    if (last_.lead >= kLongestLead) {
      given_up_ = true;
      return std::nullopt;
    }
    last_.lead *= 2;
  }
  ++last_.number;
  told_ = now;
  too_late_ = false;
  for (int rank = 0; rank < ranks_; ++rank) missing_.insert(rank);
  return last_;
}

void Agreement::take(int rank, int number, bool in_time) {
  if (number != last_.number) return;  // All have been told another moment since.
  if (in_time) {
    missing_.erase(rank);
  } else {
    too_late_ = true;
  }
}

}  // namespace wiremark::tools
