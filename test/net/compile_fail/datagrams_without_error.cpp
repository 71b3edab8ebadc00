// A handler of connected UDP sockets that does not hear that nobody listens.
// Violates: DatagramClient
#include "cases.h"

struct Case : Datagramming {
#if WRONG
  void on_datagram_error(DatagramConn&, int) = delete;
#endif
};

Result<> use(DatagramsOf<UringReactor>& reactor, Case& handler, const Stop& stop) {
  return reactor.run(handler, stop);
}
