// The staged server of E1: one thread receives, one processes in ticks, one sends.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "net/stop.h"
#include "netecho/link.h"
#include "netecho/processor.h"
#include "netecho/protocol.h"
#include "netecho/receiver.h"
#include "netecho/sender.h"

namespace wiremark::tools {

struct StageOptions {
  bool staged = false;
  Nanoseconds tick = 500 * kMillisecond;  ///< The pause between two walks over all connections.
  std::size_t ring_size = 16 << 10;       ///< Of each connection's two rings; a power of two.
};

/// Each of receive(), process() and send() is for a thread of its own; `counts` and `segments` are
/// written by the first two, each its own part, and by nobody else.
class Staged {
 public:
  static constexpr std::size_t kThreads = 3;

  Staged(const ProtocolOptions& protocol, const StageOptions& options, EchoCounts& counts,
         SegmentTally& segments);

  /// Serves until the stop, then hands every connection over to be answered and closed.
  template <net::Streams Reactor>
  Result<> receive(Reactor& reactor, const net::Stop& stop) {
    Receiver receiver(reactor, links_, counts_);
    const Result<> ran = reactor.run(receiver, stop);
    receiver.end_all();
    counts_.reactor = reactor.stats();
    counts_.reactor.pauses.add(receiver.rests());
    return ran;
  }
  /// In its place where there is no reactor to receive with.
  void receive_nothing() noexcept { links_.all_received = true; }

  Result<> process(const net::Stop& stop);
  Result<> send() { return sender_.run(); }

  /// After all threads: what they counted, with the sender's part in `counts` as the reactor's is.
  const StageCounts& finish();

 private:
  ProtocolOptions protocol_;
  Nanoseconds pause_;
  EchoCounts& counts_;
  SegmentTally& segments_;
  StageCounts stages_;
  StageLinks links_;
  Sender sender_;
};

}  // namespace wiremark::tools
