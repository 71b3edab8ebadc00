// Buffer against a plain string that goes through the same steps.
#include "base/buffer.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using wiremark::as_bytes;
using wiremark::as_text;
using wiremark::Buffer;

TEST_CASE("an empty buffer is one pointer and views nothing") {
  const Buffer buffer;
  CHECK(sizeof(Buffer) == sizeof(void*));
  CHECK(buffer.empty());
  CHECK(buffer.size() == 0);
  CHECK(buffer.view().empty());
}

TEST_CASE("bytes come out in the order they went in") {
  Buffer buffer;
  std::string model;
  std::mt19937 random(7);
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0) {
      const std::string piece(random() % 900, static_cast<char>('a' + step % 26));
      buffer.append(as_bytes(piece));
      model += piece;
    } else {
      const std::size_t count = model.empty() ? 0 : random() % (model.size() + 1);
      buffer.consume(count);
      model.erase(0, count);
    }
    REQUIRE(as_text(buffer.view()) == model);
    REQUIRE(buffer.size() == model.size());
    REQUIRE(buffer.empty() == model.empty());
  }
}

TEST_CASE("moving hands the bytes over") {
  Buffer from;
  from.append(as_bytes("abc"));
  Buffer to = std::move(from);
  CHECK(as_text(to.view()) == "abc");
  Buffer other;
  other.append(as_bytes("xyz"));
  std::swap(to, other);
  CHECK(as_text(to.view()) == "xyz");
  CHECK(as_text(other.view()) == "abc");
}

TEST_CASE("the memory of all buffers of a thread is known") {
  const std::size_t before = Buffer::held_here();
  const std::string text(10'000, 'x');
  {
    Buffer one, other;
    CHECK(Buffer::held_here() == before);
    for (int i = 0; i < 20; ++i) {
      one.append(as_bytes(text));
      other.append(as_bytes("x"));
      CHECK(one.held() > one.size());
      CHECK(Buffer::held_here() == before + one.held() + other.held());
    }
    Buffer moved = std::move(one);
    moved.consume(moved.size());
    CHECK(moved.held() == 0);
    CHECK(Buffer::held_here() == before + other.held());
  }
  CHECK(Buffer::held_here() == before);
}
