// A backend of datagrams that does not tell whether one was sent.
// Violates: Datagrams
#include "cases.h"

struct Case : DatagramsOf<UringReactor> {
#if WRONG
  void send(DatagramConn&, Bytes, Bytes) {}
#endif
};

template <Datagrams R>
void use(R&) {}

void call(Case& reactor) { use(reactor); }
