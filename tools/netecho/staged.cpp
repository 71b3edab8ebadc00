// The staged server of E1: one thread receives, one processes in ticks, one sends.
#include "netecho/staged.h"

#include <algorithm>

namespace wiremark::tools {

Staged::Staged(const ProtocolOptions& protocol, const StageOptions& options, EchoCounts& counts,
               SegmentTally& segments)
    : protocol_(protocol),
      pause_(options.tick),
      counts_(counts),
      segments_(segments),
      links_(options.ring_size),
      sender_(links_) {
  // A whole message must fit a ring, or it would wait there for ever.
  protocol_.limits.frame_size =
      std::min(protocol_.limits.frame_size, options.ring_size - kHeaderMax);
}

Result<> Staged::process(const net::Stop& stop) {
  const auto run = [&](auto& answerer) {
    Processor(answerer, links_, counts_, stages_, segments_).run(stop, pause_);
  };
  if (protocol_.format != kRaw) return with_answerer(protocol_, run);
  RawAnswerer raw;
  run(raw);
  return {};
}

const StageCounts& Staged::finish() {
  counts_.reactor.bytes_out.add(sender_.bytes_out().get());
  counts_.reactor.system_calls.add(sender_.system_calls().get());
  return stages_;
}

}  // namespace wiremark::tools
