// A handler of streams where datagrams of anybody are to be answered: nobody would take them.
// Violates: DatagramServer
#include "cases.h"

struct Case : Streaming {
#if !WRONG
  std::optional<Bytes> on_datagram(Bytes bytes) { return bytes; }
#endif
};

Result<> use(ServerOf<EpollReactor>& reactor, Case& handler, const Stop& stop) {
  if (auto bound = reactor.bind({}, {}); !bound) return std::unexpected(bound.error());
  return reactor.run(handler, stop);
}
