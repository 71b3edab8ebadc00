// Messages of all shapes for tests, the same from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "wire/message.h"

namespace wiremark::wire::test {

class RandomMessage {
 public:
  explicit RandomMessage(std::uint32_t seed) : random_(seed) {}

  /// Contents are at most `content_max` bytes: mostly ASCII, some UTF-8, some any bytes at all. The
  /// content lives until the next call.
  Message next(std::size_t content_max) {
    static constexpr std::string_view kPieces[] = {"a",        "\"",           "\\",
                                                   "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    const unsigned kind = random_() % 4;
    std::size_t size = random_() % 8 == 0 ? 0 : random_() % (content_max + 1);
    if (random_() % 16 == 0) size = content_max;
    text_.clear();
    while (text_.size() < size) {
      if (kind == 0) {
        text_ += static_cast<char>(random_());
      } else if (kind == 1 && size - text_.size() >= 4) {
        text_ += kPieces[random_() % std::size(kPieces)];
      } else {
        text_ += static_cast<char>(kind == 2 ? random_() % 128 : ' ' + random_() % 95);
      }
    }
    return {number(), number(), text_};
  }

 private:
  // All sizes of numbers are equally likely, and the extremes come up.
  std::int32_t number() {
    const auto shifted = static_cast<std::uint32_t>(random_() >> random_() % 32);
    switch (random_() % 8) {
      case 0:
        return INT32_MIN;
      case 1:
        return INT32_MAX;
      case 2:
        return 0;
      case 3:
        return -static_cast<std::int32_t>(shifted >> 1);
      default:
        return static_cast<std::int32_t>(shifted);
    }
  }

  std::mt19937 random_;
  std::string text_;
};

}  // namespace wiremark::wire::test
