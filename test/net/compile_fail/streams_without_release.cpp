// A backend of streams that does not hand out a socket.
// Violates: Streams
#include "cases.h"

struct Case : StreamsOf<UringReactor> {
#if WRONG
  Fd release(Conn&) = delete;
#endif
};

template <Streams R>
void use(R&) {}

void call(Case& reactor) { use(reactor); }
