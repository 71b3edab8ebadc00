// A handler that does not say how much it consumed.
// Violates: StreamHandler
#include "cases.h"

struct Case : Streaming {
#if WRONG
  void on_data(Conn&, Bytes) {}
#endif
};

Result<> use(StreamsOf<UringReactor>& reactor, Case& handler, const Stop& stop) {
  return reactor.run(handler, stop);
}
