// A framer of HTTP/1.0 and HTTP/1.1 responses.
#pragma once

#include <string>

#include "wire/framing/step.h"

namespace wiremark::wire {

/// One final response, with the interim ones (1xx) before it; its content is the body without the
/// chunks' own bytes. RFC 9112, section 6.3, says where it ends. What a client must not guess about
/// is wrong: two lengths that differ, a length beside a transfer coding, a chunk without a size.
class HttpFramer {
 public:
  struct State {
    enum class Part : std::uint8_t {
      head,
      body,
      chunk_size,
      chunk_extension,
      chunk_line_feed,
      chunk,
      chunk_end,
      trailer,
      until_close
    };

    Part part = Part::head;
    bool last = false;
    bool digits = false;    // A digit of the chunk's size was read.
    bool carriage = false;  // The last byte was a \r, behind a chunk or in the trailer.
    std::uint16_t status = 0;
    std::uint32_t line = 0;  // Bytes of this line of the trailer.
    std::uint64_t left = 0;  // Of the body, or of a chunk.
    std::string head;        // One that came in pieces, as far as it has come.
  };

  /// A head is no longer; what servers take is 8 to 16 KiB mostly.
  static constexpr std::size_t kHeadMax = 64 << 10;

  Step take(State& state, Bytes bytes, Asked asked) const;

  /// The server has closed the connection, and a part of a reply has come: a body without a length
  /// ends there. Whole, or taken 0.
  Step close(State& state) const;
};

}  // namespace wiremark::wire
