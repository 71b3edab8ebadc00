// memcached's text protocol: what is sent to memcached://HOST:PORT, and how error replies are
// counted.
#pragma once

#include <string>

#include "load/exchange/reads.h"
#include "load/exchange/scheme.h"
#include "wire/framing/memcached.h"

namespace wiremark::load {

struct Memcached : HitsAndMisses {
  using Framer = wire::MemcachedFramer;
  static constexpr Scheme kScheme{.name = "memcached",
                                  .reply = "memcached",
                                  .port = 11211,
                                  .request = "version\\r\\n",
                                  .expect = "VERSION ",
                                  .line_end = "\r\n"};

  static wire::Asked asked(std::string_view request) noexcept {
    return {.reads = is_one_of(command(request), kReads)};
  }
  static bool repeatable(std::string_view request) noexcept {
    return is_one_of(command(request), kRepeatable);
  }

  static std::string error(const wire::Step&, std::string_view reply) {
    return "memcached " + std::string(wire::memcached_error_word(reply));
  }

  static bool names_error(std::string_view expected) noexcept {
    return !wire::memcached_error_word(expected).empty();
  }

  Framer framer = {};

 private:
  static std::string_view command(std::string_view request) noexcept {
    return request.substr(0, request.find_first_of(" \r\n"));
  }

  static constexpr std::string_view kReads[] = {"get", "gets", "gat", "gats", "mg"};
  // Those that change no time to live, as gat does, and mg with some of its flags.
  static constexpr std::string_view kRepeatable[] = {"get", "gets", "version", "stats"};
};

}  // namespace wiremark::load
