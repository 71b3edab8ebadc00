// Writes JSON in one pass.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "wire/message.h"

namespace wiremark::wire {

/// The most bytes that write_json(message) writes: six for a byte that needs \u00XX.
constexpr std::size_t json_max_size(const Message& message) noexcept {
  // The punctuation and names, two numbers of 11 bytes, and the 8 bytes a number is stored with.
  constexpr std::size_t kAround = 30 + 2 * 11 + 2 + 8;
  return kAround + 6 * message.content.size();
}

/// Writes {"head":1,"guid":2,"content":"..."} without white space. The content is written
/// unchanged except for what RFC 8259, section 7, wants escaped. Returns the size, or 0 when `to`
/// is shorter than json_max_size(message) or the content is not UTF-8, which JSON cannot carry.
std::size_t write_json(const Message& message, MutableBytes to) noexcept;

/// Writes `text` as a JSON string, quotes included: at most 6 * text.size() + 2 bytes. Returns
/// where it ends, or nullptr when the text is not UTF-8.
char* write_json_text(char* to, std::string_view text) noexcept;

}  // namespace wiremark::wire
