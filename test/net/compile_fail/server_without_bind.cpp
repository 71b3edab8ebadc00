// A backend of streams where datagrams of anybody are to be answered, too.
// Violates: Servers
#include "cases.h"

#if WRONG
using Case = StreamsOf<EpollReactor>;
#else
using Case = ServerOf<EpollReactor>;
#endif

template <Servers R>
void use(R&) {}

void call(Case& reactor) { use(reactor); }
