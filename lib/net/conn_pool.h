// The connections of one reactor, at addresses that do not move.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <vector>

#include "net/conn.h"

namespace wiremark::net {

/// Hands out connections of a backend's own type from blocks of 256 (16 KiB, at a cache line each)
/// and reuses those that are given back. One thread.
template <std::derived_from<Conn> C>
class ConnPool {
 public:
  C& take(int fd, Conn::State state) {
    if (!free_) grow();
    C& conn = *free_;
    free_ = static_cast<C*>(conn.user);
    conn.user = nullptr;
    conn.fd = fd;
    conn.state = state;
    ++in_use_;
    return conn;
  }

  void give_back(C& conn) noexcept {
    assert(conn.state != Conn::State::free);
    conn = C{};
    push_free(conn);
    --in_use_;
  }

  std::size_t in_use() const noexcept { return in_use_; }

  template <class F>
  void for_each(F&& f) {
    for (std::size_t block = 0; block < blocks_.size(); ++block) for_each_in(block, f);
  }

  /// The same for one block of blocks(), for callers that must not visit all of them at once.
  template <class F>
  void for_each_in(std::size_t block, F&& f) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      C& conn = blocks_[block][i];
      if (conn.state != Conn::State::free) f(conn);
    }
  }
  std::size_t blocks() const noexcept { return blocks_.size(); }

 private:
  static constexpr std::size_t kBlock = 256;

  // The list of free connections is linked through their user fields, so it costs no memory.
  void push_free(C& conn) noexcept {
    conn.user = free_;
    free_ = &conn;
  }

  void grow() {
    blocks_.push_back(std::make_unique<C[]>(kBlock));
    for (std::size_t i = kBlock; i-- > 0;) push_free(blocks_.back()[i]);
  }

  std::vector<std::unique_ptr<C[]>> blocks_;
  C* free_ = nullptr;
  std::size_t in_use_ = 0;
};

}  // namespace wiremark::net
