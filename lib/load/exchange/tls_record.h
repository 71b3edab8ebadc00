// What the bytes of a peer that speaks TLS begin with.
#pragma once

#include <string_view>

namespace wiremark::load {

/// Whether they begin a record of the handshake or an alert, of version 3.x (RFC 8446, 5.1).
inline bool begins_like_tls(std::string_view bytes) noexcept {
  return bytes.size() > 1 && (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 3;
}

}  // namespace wiremark::load
