// Features of io_uring that a user may ask for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark::net {

/// wiremark-tuning(7) says what each was measured to be worth.
struct UringOptions {
  bool direct = false;        ///< Accepted sockets live in the ring, not in the descriptor table.
  bool bundle = false;        ///< One receive fills several buffers (Linux 6.10).
  bool min_wait = true;       ///< The kernel gathers a batch where it can (Linux 6.12).
  Nanoseconds sqpoll_ns = 0;  ///< A kernel thread submits, and sleeps after this long without work.
  Nanoseconds napi_ns = 0;    ///< Polls the network card this long before it sleeps (Linux 6.9).
  std::size_t zero_copy_min = 0;  ///< Lent sends of this many bytes or more are not copied (6.0).

  /// "KEY[=VALUE],...": direct, bundle, nominwait, sqpoll[=TIME], napi[=TIME], zc[=SIZE].
  static Result<UringOptions> parse(std::string_view text);
  /// As parse() reads it, with every value; "none" for none.
  std::string to_string() const;
  bool any() const { return to_string() != kNone; }

  static constexpr const char* kNone = "none";
};

}  // namespace wiremark::net
