// A handler that does not say when it wants the next turn.
// Violates: Handler
#include "cases.h"

struct Case : Streaming {
#if WRONG
  void on_turn(Nanoseconds) {}
#endif
};

Result<> use(StreamsOf<EpollReactor>& reactor, Case& handler, const Stop& stop) {
  return reactor.run(handler, stop);
}
