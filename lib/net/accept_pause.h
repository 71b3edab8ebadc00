// When a reactor accepts nothing for a while, because an accept failed.
#pragma once

#include <cerrno>

#include "base/clock.h"
#include "net/reactor_options.h"

namespace wiremark::net {

class AcceptPause {
 public:
  void accepted() noexcept { in_vain_ = 0; }

  /// Counts an accept that failed. Returns whether the listeners pause now: not where the client
  /// has gone or the call was interrupted, unless that is all that comes.
  bool failed(int error, Nanoseconds now, ReactorStats& stats) noexcept {
    const bool passing = error == ECONNABORTED || error == EINTR || error == ECANCELED;
    if (passing && ++in_vain_ < kAcceptsInVain) return false;
    in_vain_ = 0;
    stats.accept_errors.add();
    if (error == EMFILE) stats.no_descriptors.add();
    until_ = now + kAcceptPause;
    return true;
  }

  /// Whether a pause has passed; it says so once.
  bool ends(Nanoseconds now) noexcept {
    if (now < until_) return false;
    until_ = kNever;
    return true;
  }

  /// When the next pause ends; kNever while there is none.
  Nanoseconds due() const noexcept { return until_; }

 private:
  unsigned in_vain_ = 0;  // Failed in a row, without one that was accepted.
  Nanoseconds until_ = kNever;
};

}  // namespace wiremark::net
