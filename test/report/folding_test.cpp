// Text within 80 columns: sentences are folded, and figures keep their lines.
#include "report/folding.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace wiremark::report;

namespace {

// How many lines are continued, and the longest of all.
std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}
std::size_t longest_of(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    longest = std::max(longest, end - at);
  }
  return longest;
}

}  // namespace

TEST_CASE("a line that fits stays as it is, to its last column") {
  const std::string full = "  label  " + std::string(71, 'x');
  REQUIRE(full.size() == kTextColumns);
  CHECK(folded(full, 9) == full);
  CHECK(folded(full + "\n\n  a  b\n", 9) == full + "\n\n  a  b\n");
  CHECK(folded("", 4).empty());
}

TEST_CASE("a line that is too wide goes on below its value, as often as it takes") {
  const std::string word(30, 'w');
  CHECK(folded("  label  " + word + " " + word + " " + word + "\n", 9) ==
        "  label  " + word + " " + word + "\n         " + word + "\n");
  CHECK(folded("  label  " + word + " " + word + " " + word + " " + word + " end\nnext\n", 9) ==
        "  label  " + word + " " + word + "\n         " + word + " " + word + " end\nnext\n");
}

TEST_CASE("the last word of a line goes down too, and takes no space with it") {
  const std::string most(75, 'x');
  CHECK(folded(most + "  abcdef", 2) == most + "\n  abcdef");
  CHECK(folded(most + " abcd", 2) == most + " abcd");
}

TEST_CASE("what has no place to break is left whole") {
  const std::string path = "/" + std::string(100, 'p');
  CHECK(folded("  file  " + path, 8) == "  file  " + path);
  CHECK(folded("  file  " + path + " is long", 8) == "  file  " + path + "\n        is long");
  // Not within the label, where nothing is a sentence.
  CHECK(folded("  two words  " + path, 13) == "  two words  " + path);
}

TEST_CASE("a line of any length is folded in one walk") {
  // With a walk from the start for each of its 125,000 lines this takes minutes.
  std::string text = "  errors ";
  for (int i = 0; i < 1'000'000; ++i) text += " RESP-E" + std::to_string(10 + i % 90);
  const std::string lines = folded(text, 9);
  CHECK(lines.size() == text.size() + lines_of(lines) * 9);
  CHECK(longest_of(lines) <= kTextColumns);
}

TEST_CASE("a letter of several bytes is one column, and an escape is none") {
  std::string blocks;
  for (int i = 0; i < 78; ++i) blocks += "\u2588";
  CHECK(folded(blocks + " a", 2) == blocks + " a");
  CHECK(folded(blocks + " ab", 2) == blocks + "\n  ab");
  const std::string red = "\033[1;31mFAILED\033[0m";
  const std::string rest(73, 'x');
  CHECK(folded(red + " " + rest, 2) == red + " " + rest);
  CHECK(folded(red + " " + rest + "x", 2) == red + "\n  " + rest + "x");
}
