// The protocol of netecho with a format: every message is checked and answered.
#pragma once

#include <optional>

#include "netecho/answer.h"
#include "netecho/echo.h"

namespace wiremark::tools {

/// Answers all whole messages. A malformed one ends its connection, after the answers to those
/// before it, and is counted by its error.
template <net::Reactor Reactor, Answerer A>
class Responder {
 public:
  Responder(const Reactor& reactor, A& answerer, EchoCounts& counts)
      : reactor_(reactor), answerer_(answerer), counts_(counts) {}

  void on_open(net::Conn&) { counts_.opened.add(); }

  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    std::size_t used = 0;
    while (used < bytes.size()) {
      conn.copy_lent();  // The next answer overwrites the last one.
      const Answer answer = answerer_.answer(bytes.subspan(used));
      if (answer.error) [[unlikely]] {
        counts_.refuse(A::kName, answer.error, bytes.subspan(used));
        conn.finish();
        return bytes.size();
      }
      if (answer.consumed == 0) break;
      conn.lend_until_flush(answer.bytes);
      tally_.add(answer.consumed);
      used += answer.consumed;
    }
    return used;
  }

  /// A datagram is exactly one message. A malformed one gets no answer.
  std::optional<Bytes> on_datagram(Bytes bytes) {
    const Answer answer = answerer_.answer(bytes);
    if (answer.error) [[unlikely]] {
      counts_.refuse(A::kName, answer.error, bytes);
    } else if (answer.consumed < bytes.size() || bytes.empty()) [[unlikely]] {
      const auto kind = answer.consumed == 0 ? wire::DecodeErrorKind::need_more_data
                                             : wire::DecodeErrorKind::trailing_data;
      counts_.refuse(A::kName, {kind, answer.consumed}, bytes);
    } else {
      tally_.add(bytes.size());
      if (!answer.bytes.empty()) return answer.bytes;
    }
    return std::nullopt;
  }

  void on_close(net::Conn& conn, int error) {
    counts_.closed.add();
    if (error != 0) {
      ++counts_.closed_by_error[error];
    } else if (!conn.stash.empty()) {
      counts_.refuse(A::kName, {wire::DecodeErrorKind::need_more_data, conn.stash.size()},
                     conn.stash.view());
    }
  }

  Nanoseconds on_turn(Nanoseconds now) {
    tally_.end_turn(reactor_, now, counts_);
    return kNever;
  }

 private:
  const Reactor& reactor_;
  A& answerer_;
  EchoCounts& counts_;
  TurnTally tally_;
};

}  // namespace wiremark::tools
