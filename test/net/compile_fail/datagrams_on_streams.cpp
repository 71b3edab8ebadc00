// A handler of datagrams where streams are served.
// Violates: StreamHandler
#include "cases.h"

#if WRONG
using Case = Datagramming;
#else
using Case = Streaming;
#endif

Result<> use(StreamsOf<EpollReactor>& reactor, Case& handler, const Stop& stop) {
  return reactor.run(handler, stop);
}
