// 22 short English texts in place of the original contents of E1 and E2, of the same lengths.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace wiremark::wire {

/// 17 to 166 bytes, 79.5 on average; ASCII without anything that JSON escapes.
inline constexpr std::array<std::string_view, 22> kE2Texts = {
    "2026-03-14T09:26:53.589Z INFO gateway[4127] session 884 opened from 10.4.17.202 "
    "port 51544, cipher TLS_AES_128_GCM_SHA256, 3 rules matched, 0 refused, ready in 1.7 "
    "ms",
    "Ping, are you up?",
    "The kettle boils, the lamp is lit, and nobody is in a hurry.",
    "A ferry left the pier at noon with forty passengers, two horses and a piano that no "
    "one had wanted to carry.",
    "She counted the steps to the lighthouse twice and got two answers",
    "Rain on the tin roof kept the whole village awake all day",
    "Nothing in the parcel was broken except the promise that it would arrive before the winter",
    "The map was drawn from memory, so the river runs wherever the old man liked best",
    "Every morning the baker leaves a loaf on the sill for the fox that never once came "
    "for a meal",
    "Two clocks in the hall disagree by a minute, and the family keeps both of them.",
    "Our train waited in the fog until the signal turned green.",
    "The archive holds ninety boxes of letters, and nearly all of them ask about the "
    "weather in the first line",
    "Bring a coat, a pencil and the blue notebook; all the rest can be found in the garden shed",
    "Sand had filled the doorway and the cat slept on the dune",
    "The orchestra tuned for so long that half of the audience took it for a piece",
    "A small stone in a shoe can teach more patience than long books about hills",
    "He painted the fence, then the gate, then the grass.",
    "When the tide is low you can walk to the island, but you must know by heart at what "
    "hour the sea comes back",
    "The last page was missing, so they wrote another one",
    "Snow covers the road signs here, which is why the locals give directions by the smell.",
    "There is a bridge in the valley that carries no road, built by a farmer who thought "
    "that one would follow soon",
    "If the answer is forty-two, then somebody has lost the question.",
};

/// The lengths in bytes that make the published figures comparable.
inline constexpr std::array<std::size_t, 22> kE2Lengths = {
    166, 17, 60, 108, 65, 57, 90, 80, 93, 79, 58, 105, 90, 57, 77, 75, 52, 107, 52, 86, 110, 64};

static_assert(
    [] {
      for (std::size_t i = 0; i < kE2Texts.size(); ++i) {
        if (kE2Texts[i].size() != kE2Lengths[i]) return false;
      }
      return true;
    }(),
    "a text has not the length of the original");

}  // namespace wiremark::wire
