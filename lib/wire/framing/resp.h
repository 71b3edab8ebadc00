// A framer of RESP2 and RESP3, which Redis and its relatives speak.
#pragma once

#include "wire/framing/step.h"

namespace wiremark::wire {

/// One value, with all that is in it, and the attributes before it, which are not compared.
/// https://redis.io/docs/latest/develop/reference/protocol-spec
class RespFramer {
 public:
  struct State {
    enum class Part : std::uint8_t { type, line, line_feed, payload, payload_cr, payload_lf };

    Part part = Part::type;
    char type = 0;          // Of the value that is being read.
    bool negative = false;  // Its number.
    bool error = false;     // The reply is one.
    bool begun = false;     // It was seen, and what came is no attribute.
    bool found = false;     // A value came that is not null and no aggregate.
    std::uint8_t digits = 0;
    std::uint64_t number = 0;  // Of its line; then the bytes that are left of its payload.
    std::uint64_t values = 1;  // Still to come, this one included.
  };

  Step take(State& state, Bytes bytes, Asked asked) const noexcept;
};

/// The command of a request, which is inline or an array: "GET".
std::string_view resp_command(std::string_view request) noexcept;

/// The first word of an error reply, or of its first bytes: "ERR". Empty where attributes are all
/// of those.
std::string_view resp_error_word(std::string_view reply) noexcept;

}  // namespace wiremark::wire
