// A backend that does not say up to when it has delivered everything.
// Violates: Reactor
#include "cases.h"

struct Case : StreamsOf<EpollReactor> {
#if WRONG
  Nanoseconds taken_until() const = delete;
#endif
};

template <Reactor R>
void use(R&) {}

void call(Case& reactor) { use(reactor); }
