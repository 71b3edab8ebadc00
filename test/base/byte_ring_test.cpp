// ByteRing against a plain string in one thread, and against itself in two.
#include "base/byte_ring.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

using wiremark::as_bytes;
using wiremark::as_text;
using wiremark::ByteRing;
using wiremark::Bytes;

namespace {

std::string held_by(const ByteRing& ring) {
  const auto [first, second] = ring.parts();
  return std::string(as_text(first)) + std::string(as_text(second));
}

}  // namespace

TEST_CASE("a ring holds what fits, in order, whatever wraps around") {
  ByteRing ring(64);
  std::string model;
  std::mt19937 random(5);
  bool wrapped = false, was_full = false;
  for (int step = 0; step < 50'000; ++step) {
    if (random() % 2 == 0) {
      const std::string piece(random() % 50, static_cast<char>('a' + step % 26));
      const std::size_t fits = std::min(piece.size(), 64 - model.size());
      REQUIRE(ring.push(as_bytes(piece)) == fits);
      model += piece.substr(0, fits);
    } else {
      const std::size_t count = random() % (model.size() + 1);
      ring.consume(count);
      model.erase(0, count);
    }
    wrapped |= !ring.parts()[1].empty();
    was_full |= ring.room() == 0;
    REQUIRE(held_by(ring) == model);
    REQUIRE(ring.size() == model.size());
    REQUIRE(ring.room() == 64 - model.size());
    REQUIRE(ring.empty() == model.empty());
  }
  CHECK(wrapped);
  CHECK(was_full);
}

TEST_CASE("what one thread pushes another reads, byte by byte") {
  constexpr std::size_t kBytes = 8 << 20;
  ByteRing ring(1024);
  const auto byte_at = [](std::size_t place) {
    return static_cast<std::byte>(place * 2654435761U >> 11);
  };
  std::thread writer([&] {
    std::mt19937 random(1);
    std::vector<std::byte> piece(1500);
    for (std::size_t at = 0; at < kBytes;) {
      const std::size_t size = std::min<std::size_t>(random() % piece.size() + 1, kBytes - at);
      for (std::size_t i = 0; i < size; ++i) piece[i] = byte_at(at + i);
      const std::size_t pushed = ring.push(Bytes(piece).first(size));
      if (pushed == 0) std::this_thread::yield();
      at += pushed;
    }
  });
  std::mt19937 random(2);
  std::size_t at = 0, wrong = 0, most = 0;
  while (at < kBytes) {
    most = std::max(most, ring.size());
    std::size_t count = 0;
    for (const Bytes part : ring.parts()) {
      for (const std::byte byte : part) wrong += byte != byte_at(at + count++);
    }
    if (count == 0) std::this_thread::yield();
    const std::size_t taken = count == 0 ? 0 : random() % count + 1;
    ring.consume(taken);
    at += taken;
  }
  writer.join();
  CHECK(wrong == 0);
  CHECK(most <= ring.capacity());
  CHECK(ring.empty());
}
