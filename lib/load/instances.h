// Compiles what a file has defined of a load, for the views of every backend. Included last.
#pragma once

#include "load/load.h"
#include "net/reactor.h"
#include "net/sim/datagrams.h"
#include "net/sim/streams.h"

namespace wiremark::load {

template class Load<net::StreamsOf<net::EpollReactor>>;
template class Load<net::StreamsOf<net::UringReactor>>;
template class Load<net::DatagramsOf<net::EpollReactor>>;
template class Load<net::DatagramsOf<net::UringReactor>>;
template class Load<net::DatagramsOf<net::XdpReactor>>;
template class Load<net::sim::StreamEnd>;
template class Load<net::sim::DatagramEnd>;

}  // namespace wiremark::load
