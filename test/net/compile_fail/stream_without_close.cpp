// A handler of streams that does not hear of their end.
// Violates: StreamHandler
#include "cases.h"

struct Case : Streaming {
#if WRONG
  void on_close(Conn&, int) = delete;
#endif
};

Result<> use(StreamsOf<EpollReactor>& reactor, Case& handler, const Stop& stop) {
  return reactor.run(handler, stop);
}
