// netecho's staged server in one thread and virtual time: its stages take turns, and its sender
// sends through the reactor.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "netecho/processor.h"
#include "netecho/receiver.h"
#include "segment_tally.h"

namespace wiremark::tools {

template <class Reactor>
class StagedEnd {
 public:
  StagedEnd(Reactor& reactor, EchoCounts& counts, Nanoseconds tick)
      : reactor_(reactor),
        links_(kRing),
        receiver_(reactor, links_, counts),
        processor_(answerer_, links_, counts, stages_, segments_),
        tick_(tick) {}
  ~StagedEnd() {
    receiver_.end_all();
    processor_.leave();
  }

  void on_open(net::Conn& conn) {
    receiver_.on_open(conn);
    conns_[static_cast<Link*>(conn.user)] = &conn;
  }
  std::size_t on_data(net::Conn& conn, Bytes bytes) { return receiver_.on_data(conn, bytes); }
  void on_close(net::Conn& conn, int error) {
    conns_.erase(static_cast<Link*>(conn.user));
    receiver_.on_close(conn, error);
  }

  Nanoseconds on_turn(Nanoseconds now) {
    const Nanoseconds look = receiver_.on_turn(now);
    if (now >= next_walk_) {
      processor_.walk();
      send_posted();
      next_walk_ = now + tick_;
    }
    return std::min(look, next_walk_);
  }

 private:
  static constexpr std::size_t kRing = 16 << 10;

  void send_posted() {
    links_.to_send.take(posted_);
    for (Link* link : posted_) {
      link->posted = false;
      const auto found = conns_.find(link);
      for (const Bytes part : link->out.parts()) {
        if (found != conns_.end()) found->second->append(part);
      }
      link->out.consume(link->out.size());
      if (found != conns_.end()) reactor_.flush(*found->second);
      if (link->last) link->sent = true;
    }
    posted_.clear();
  }

  Reactor& reactor_;
  StageLinks links_;
  RawAnswerer answerer_;
  StageCounts stages_;
  SegmentTally segments_;
  Receiver<Reactor> receiver_;
  Processor<RawAnswerer> processor_;
  Nanoseconds tick_;
  Nanoseconds next_walk_ = 0;
  std::map<Link*, net::Conn*> conns_;
  std::vector<Link*> posted_;
};

}  // namespace wiremark::tools
