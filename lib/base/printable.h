// Text that came from elsewhere, such as the name of a process or the words of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wiremark {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< Otherwise it is one byte that begins no character.
};

/// The first character of `text`, which is not empty: UTF-8 of RFC 3629, overlong forms and
/// surrogates refused.
Character first_character(std::string_view text) noexcept;

/// `text` in one line that can do nothing to a terminal, a table or a page: \n, \r, \t or \xHH
/// stands for each byte of a control character, of one that turns the direction of a line, ends it
/// or has no width, and of what is no UTF-8. All else stays, a backslash too: what has been made
/// printable once is not changed again.
std::string printable(std::string_view text);

/// Whether it is a letter, a digit, a sign or the blank of ASCII.
constexpr bool is_plain_ascii(char c) noexcept { return c >= ' ' && c <= '~'; }

/// Appends \n, \r, \t or \xHH, which stands for this byte.
void put_escaped(std::string& to, char byte);

}  // namespace wiremark
