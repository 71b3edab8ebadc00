// What a protocol that netload knows by name brings: see redis.h for a whole one.
#pragma once

#include <cstdint>
#include <string_view>

#include "load/exchange/custom_options.h"

namespace wiremark::load {

/// netload NAME://HOST[:PORT]
struct Scheme {
  std::string_view name;
  std::string_view reply;  ///< As --reply names its framing.
  std::uint16_t port;
  std::string_view request = {};   ///< What is sent where --send says nothing.
  std::string_view expect = {};    ///< What every reply to it begins with.
  std::string_view line_end = {};  ///< Put behind each --send that has none.
  bool has_paths = false;          ///< The path of the target is asked for.
  std::string_view path = {};      ///< Otherwise: what may stand there, and means the same as none.
};

}  // namespace wiremark::load
