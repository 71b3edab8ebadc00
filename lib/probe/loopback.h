// Two connected sockets over loopback, to try on them what the kernel accepts.
#pragma once

#include "base/fd.h"
#include "base/result.h"

namespace wiremark::probe {

struct Loopback {
  Fd client;
  Fd server;
};

/// Errors: those of socket(2), bind(2), listen(2), connect(2) and accept4(2).
Result<Loopback> connect_streams();

/// Connected to one another, both ways; they wait a second at most for a datagram.
Result<Loopback> connect_datagrams();

}  // namespace wiremark::probe
