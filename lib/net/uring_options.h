// The choices that io_uring leaves to its user, each off unless asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark::net {

/// What none of them is worth here, and where it may be, is measured in wiremark-tuning(7).
struct UringOptions {
  bool direct = false;        ///< Accepted sockets live in the ring, not in the descriptor table.
  bool bundle = false;        ///< One receive fills several buffers (Linux 6.10).
  bool min_wait = true;       ///< The kernel gathers a batch where it can (Linux 6.12).
  Nanoseconds sqpoll_ns = 0;  ///< A kernel thread submits, and sleeps after so long without work.
  Nanoseconds napi_ns = 0;    ///< Polls the network card for so long before it sleeps (Linux 6.9).
  std::size_t zero_copy_min = 0;  ///< Lent sends of this many bytes or more are not copied (6.0).

  /// "KEY[=VALUE],...": direct, bundle, nominwait, sqpoll[=TIME], napi[=TIME], zc[=SIZE].
  static Result<UringOptions> parse(std::string_view text);
  /// As parse() reads it, with every value; "none" for none.
  std::string to_string() const;
  bool any() const { return to_string() != kNone; }

  static constexpr const char* kNone = "none";
};

}  // namespace wiremark::net
