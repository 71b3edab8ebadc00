// Pieces that stay where they are until all are taken back.
#include "base/arena.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace wiremark;

TEST_CASE("no piece overlaps another, whatever their sizes") {
  struct Piece {
    std::byte* at;
    std::size_t size;
    std::byte mark;
  };
  Arena arena;
  std::mt19937 random(6);
  for (int round = 0; round < 20; ++round) {
    std::vector<Piece> pieces;
    for (int i = 0; i < 200; ++i) {
      const std::size_t size = i % 50 == 0 ? 300'000 : random() % 5'000;
      const auto mark = static_cast<std::byte>(random());
      pieces.push_back({arena.take(size), size, mark});
      std::memset(pieces.back().at, static_cast<int>(mark), size);
      CHECK(reinterpret_cast<std::uintptr_t>(pieces.back().at) % alignof(std::max_align_t) == 0);
    }
    bool whole = true;
    for (const Piece& piece : pieces) {
      for (std::size_t i = 0; i < piece.size; ++i) whole = whole && piece.at[i] == piece.mark;
    }
    CHECK(whole);
    arena.clear();
  }
}

TEST_CASE("what was taken back is handed out again") {
  Arena arena;
  std::vector<std::byte*> first;
  for (int i = 0; i < 1'000; ++i) first.push_back(arena.take(1'000));
  arena.clear();
  for (int i = 0; i < 1'000; ++i) CHECK(arena.take(1'000) == first[static_cast<std::size_t>(i)]);
}

TEST_CASE("a copy is one, and what was handed out is counted until it is taken back") {
  Arena arena;
  const std::string text = "some bytes";
  const Bytes copy = arena.copy(as_bytes(text));
  CHECK(as_text(copy) == text);
  CHECK(copy.data() != as_bytes(text).data());
  CHECK(arena.copy({}).empty());
  CHECK(arena.used() >= text.size());
  const std::size_t before = arena.used();
  arena.take(1 << 20);
  CHECK(arena.used() >= before + (1 << 20));
  arena.clear();
  CHECK(arena.used() == 0);
  CHECK(arena.copy(as_bytes(text)).data() == copy.data());
}
