// A framer of the text protocol of memcached.
#pragma once

#include <string>

#include "wire/framing/step.h"

namespace wiremark::wire {

/// What one command is answered with: a line, the values and END of a retrieval, the lines of stats
/// or a meta reply. https://github.com/memcached/memcached/blob/master/doc/protocol.txt
class MemcachedFramer {
 public:
  struct State {
    std::uint64_t left = 0;  // Of a value, with the \r\n behind it.
    bool lines = false;      // More follow behind the value.
    bool found = false;      // A value came, or the word that it is there.
    std::string line;        // One that came in pieces, as far as it has come.
  };

  Step take(State& state, Bytes bytes, Asked asked) const;
};

/// What an error reply is counted as: "SERVER_ERROR".
std::string_view memcached_error_word(std::string_view reply) noexcept;

}  // namespace wiremark::wire
