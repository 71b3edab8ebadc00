// Streams of replies cut in every way: what a framer makes of them may not depend on the cuts.
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/framing/step.h"

namespace wiremark::wire {

struct Framed {
  std::size_t size = 0;
  std::string content = {};
  std::uint16_t status = 0;
  bool error = false;
  bool last = false;

  bool operator==(const Framed&) const = default;
};

struct Reading {
  std::vector<Framed> replies = {};
  std::string wrong = {};      // Why it ended; empty where it did not.
  std::size_t unfinished = 0;  // Bytes of a reply that has begun.

  bool operator==(const Reading&) const = default;
};

// What a framer makes of `text` shown in pieces that end at `cuts` and at its end.
template <class F>
Reading read_pieces(const F& framer, std::string_view text, std::span<const std::size_t> cuts,
                    std::span<const Asked> asked) {
  Reading reading;
  typename F::State state;
  Framed reply;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    Bytes piece = as_bytes(text.substr(from, (i < cuts.size() ? cuts[i] : text.size()) - from));
    from += piece.size();
    while (!piece.empty()) {
      const Asked one = asked.empty() ? Asked() : asked[reading.replies.size() % asked.size()];
      const Step step = framer.take(state, piece, one);
      if (step.wrong) {
        reading.wrong = step.wrong;
        return reading;
      }
      REQUIRE(step.taken > 0);
      REQUIRE(step.taken <= piece.size());
      reply.size += step.taken;
      reply.content += as_text(step.content);
      piece = piece.subspan(step.taken);
      if (!step.whole) continue;
      reply.status = step.status;
      reply.error = step.error;
      reply.last = step.last;
      reading.replies.push_back(std::exchange(reply, Framed()));
    }
  }
  reading.unfinished = reply.size;
  return reading;
}

// The same for every cut in two and in three, and byte by byte; checks that all agree.
template <class F>
Reading read_at_every_cut(const F& framer, std::string_view text,
                          std::span<const Asked> asked = {}) {
  CAPTURE(text);
  const Reading whole = read_pieces(framer, text, {}, asked);
  std::vector<std::size_t> all;
  for (std::size_t first = 1; first < text.size(); ++first) {
    all.push_back(first);
    for (std::size_t second = first; second < text.size(); ++second) {
      const std::size_t cuts[] = {first, second};
      const Reading cut = read_pieces(framer, text, cuts, asked);
      CAPTURE(first);
      CAPTURE(second);
      REQUIRE(cut.replies == whole.replies);
      REQUIRE(cut.wrong == whole.wrong);
      REQUIRE(cut.unfinished == whole.unfinished);
    }
  }
  CHECK(read_pieces(framer, text, all, asked) == whole);
  return whole;
}

inline std::vector<std::size_t> sizes_of(const Reading& reading) {
  std::vector<std::size_t> sizes;
  for (const Framed& reply : reading.replies) sizes.push_back(reply.size);
  return sizes;
}

}  // namespace wiremark::wire
