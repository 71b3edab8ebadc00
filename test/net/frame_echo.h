// A protocol for tests: frames of a little-endian length of four bytes and that many bytes, which
// are sent back whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "net/handler.h"

namespace wiremark::net {

inline std::string frame(std::string_view body) {
  std::string text(sizeof(std::uint32_t), '\0');
  store_le(reinterpret_cast<std::byte*>(text.data()), static_cast<std::uint32_t>(body.size()));
  return text.append(body);
}

/// Size of the frame that `bytes` start with; 0 if it is not complete.
inline std::size_t whole_frame(Bytes bytes) {
  if (bytes.size() < sizeof(std::uint32_t)) return 0;
  const std::size_t size = sizeof(std::uint32_t) + load_le<std::uint32_t>(bytes.data());
  return size <= bytes.size() ? size : 0;
}

struct FrameEcho {
  void on_open(Conn&) { ++opened; }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    std::size_t used = 0;
    while (const std::size_t size = whole_frame(bytes.subspan(used))) {
      conn.lend(bytes.subspan(used, size));
      used += size;
      ++frames;
    }
    return used;
  }
  void on_close(Conn&, int error) { errors.push_back(error); }
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  int opened = 0;
  int frames = 0;
  std::vector<int> errors;  ///< One for each connection closed, in order.
};

}  // namespace wiremark::net
