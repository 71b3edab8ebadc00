// Redis and its relatives: what is sent to redis://HOST:PORT, and how error replies are counted.
#pragma once

#include <string>

#include "load/exchange/scheme.h"
#include "wire/framing/resp.h"

namespace wiremark::load {

struct Redis {
  using Framer = wire::RespFramer;
  static constexpr Scheme kScheme{.name = "redis",
                                  .reply = "resp",
                                  .port = 6379,
                                  .request = "PING\\r\\n",
                                  .expect = "+PONG\r\n",
                                  .line_end = "\r\n"};

  static std::string error(const wire::Step&, std::string_view reply) {
    return "RESP -" + std::string(wire::resp_error_word(reply));
  }

  static bool names_error(std::string_view expected) noexcept {
    return expected.starts_with('-') || expected.starts_with('!');
  }

  Framer framer = {};
};

}  // namespace wiremark::load
