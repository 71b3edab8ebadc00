// Which texts are one but for capital letters.
#include "base/letters.h"

#include <doctest/doctest.h>

using namespace wiremark;

TEST_CASE("capital letters make no difference, and everything else does") {
  for (const char* text : {"content-length", "Content-Length", "CONTENT-LENGTH"})
    CHECK(same_letters(text, "content-length"));
  for (const char* text : {"content-lengths", "content-lengt", "", "content\rlength"})
    CHECK_FALSE(same_letters(text, "content-length"));
  CHECK(same_letters("", ""));
  CHECK_FALSE(same_letters("[", "{"));  // As far apart as a letter from its capital.
}
