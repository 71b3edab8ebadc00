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
  std::size_t ring_size = 16 << 10;  ///< Bytes of each of a connection's two rings; a power of two.
};

/// receive(), process() and send() each run in a thread of their own. The first two write `counts`
/// and `segments`, each its own part.
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
    counts_.reactor.pauses.add(receiver.pauses());
    return ran;
  }
  /// In place of receive() if there is no reactor to receive with.
  void receive_nothing() noexcept { links_.all_received = true; }

  Result<> process(const net::Stop& stop);
  Result<> send() { return sender_.run(); }

  /// After all threads: what they counted. Adds the sender's part to `counts`.
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
