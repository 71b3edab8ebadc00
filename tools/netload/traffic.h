// What the messages of a load hold, and whether what came back is the right answer.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "net/conn.h"
#include "netload/pattern.h"

namespace wiremark::tools {

/// What a traffic makes of the bytes that wait for it.
struct Reply {
  std::size_t consumed = 0;  ///< Of the bytes shown; 0 where a reply is read only when it is whole.
  bool whole = false;        ///< The reply ends with what was consumed.
  bool refused = false;      ///< It is wrong: refusal() says why, and the connection ends.
};

/// Why a reply was refused.
struct Refusal {
  std::string kind;    ///< As errors are counted: "wrong reply", "json: syntax".
  std::string detail;  ///< A sentence about this one.
};

/// One per thread. A message is told by the number of its connection in the load and its sequence
/// number on that connection; nothing about it is remembered until its reply comes.
///
///   send(conn, connection, sequence)   appends or lends the message; its bytes
///   check(connection, sequence, got, bytes)
///                                      reads the reply to it, of which `got` bytes were consumed
///                                      before; called again with the rest and more
///   refusal()                          why the last check refused
template <class T>
concept Traffic = requires(T traffic, net::Conn& conn, std::uint32_t connection,
                           std::uint32_t sequence, std::size_t got, Bytes bytes) {
  { traffic.send(conn, connection, sequence) } -> std::same_as<std::size_t>;
  { traffic.check(connection, sequence, got, bytes) } -> std::same_as<Reply>;
  { traffic.refusal() } -> std::same_as<Refusal>;
};

/// Lends windows of a random block and compares what comes back with them, in the pieces in which
/// it comes.
class RawTraffic {
 public:
  RawTraffic(const Pattern& pattern, bool verify) noexcept : pattern_(pattern), verify_(verify) {}

  std::size_t send(net::Conn& conn, std::uint32_t connection, std::uint32_t sequence) const {
    const Bytes bytes = pattern_.message(connection, sequence);
    conn.lend(bytes);
    return bytes.size();
  }

  Reply check(std::uint32_t connection, std::uint32_t sequence, std::size_t got,
              Bytes bytes) const noexcept {
    const Bytes expected = pattern_.message(connection, sequence).subspan(got);
    const std::size_t count = std::min(expected.size(), bytes.size());
    if (verify_ && std::memcmp(expected.data(), bytes.data(), count) != 0) return {.refused = true};
    return {.consumed = count, .whole = count == expected.size()};
  }

  Refusal refusal() const { return {"wrong reply", "a reply differed from what was sent"}; }

 private:
  const Pattern& pattern_;
  bool verify_;
};

static_assert(Traffic<RawTraffic>);

}  // namespace wiremark::tools
