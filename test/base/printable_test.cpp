// What of a text from elsewhere is shown as it is, and what as escapes.
#include "base/printable.h"

#include <doctest/doctest.h>

#include <string>

using namespace wiremark;

TEST_CASE("letters of every script are shown as they are") {
  for (const char* text : {"", "p99 of 100 %", "gr\xC3\xBC\xC3\x9F", "\xE4\xB8\xAD",
                           "\xF0\x9F\x98\x80", "a\\b 'c' \"d\"", "\xEF\xBF\xBD"})
    CHECK(printable(text) == text);
}

TEST_CASE("what would move or colour a terminal, or end a line, is shown as escapes") {
  CHECK(printable("\nVALID: all\n") == "\\nVALID: all\\n");
  CHECK(printable("a\r\tb") == "a\\r\\tb");
  CHECK(printable("\x1B[2J") == "\\x1b[2J");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x7F") == "\\x7f");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\xc2\\x9b31m");  // CSI in one character.
  CHECK(printable("\xE2\x80\xAE"
                  "dcba") ==
        "\\xe2\\x80\\xae"
        "dcba");                                          // Right to left.
  CHECK(printable("\xE2\x80\xA8") == "\\xe2\\x80\\xa8");  // The end of a line.
  CHECK(printable("net\xE2\x80\x8B"
                  "echo") ==
        "net\\xe2\\x80\\x8b"
        "echo");                                                   // No width.
  CHECK(printable("\xF3\xA0\x81\x81") == "\\xf3\\xa0\\x81\\x81");  // A tag.
}

TEST_CASE("each byte that is no UTF-8 is shown as an escape") {
  CHECK(printable("\xC3") == "\\xc3");  // Cut off.
  CHECK(printable("\xE4\xB8") == "\\xe4\\xb8");
  CHECK(printable("a\xFF\xFE\x80 x") == "a\\xff\\xfe\\x80 x");
  CHECK(printable("\xC0\xBC") == "\\xc0\\xbc");                    // '<' in two bytes.
  CHECK(printable("\xE0\x9F\xBF") == "\\xe0\\x9f\\xbf");           // Three where two would do.
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");           // Half of a surrogate pair.
  CHECK(printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // Beyond Unicode.
  CHECK(printable("\xF0\x9F\x98\x80\x98") == "\xF0\x9F\x98\x80\\x98");
}

TEST_CASE("what has been made printable stays as it is") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(printable(printable(all)) == printable(all));
}
