// The messages that codecbench times: which numbers and contents they have.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <string>

#include "bench/message_set.h"
#include "bench/random.h"
#include "wire/contents.h"

using namespace wiremark;
using namespace wiremark::bench;

namespace {

unsigned bits_of(std::int32_t number) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(std::abs(number))));
}

}  // namespace

TEST_CASE("hot messages all have the numbers of the experiment, and each content once") {
  Random random(1);
  const wire::Contents contents = wire::script_contents();
  const MessageSet messages(Access::hot, contents, random);
  REQUIRE(messages.size() == contents.texts.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CHECK(messages[i].head == 567);
    CHECK(messages[i].guid == 15);
    CHECK(messages[i].content == contents.texts[i]);
  }
}

TEST_CASE("cold messages have numbers of every length and either sign, drawn anew") {
  Random random(1);
  const wire::Contents contents = wire::e2_contents();
  const MessageSet first(Access::cold, contents, random);
  const MessageSet second(Access::cold, contents, random);
  for (const auto number : {&wire::Message::head, &wire::Message::guid}) {
    std::set<std::pair<bool, unsigned>> seen;
    for (const wire::Message& message : first.all())
      seen.insert({message.*number < 0, bits_of(message.*number)});
    CHECK(seen.size() == 2 * 32 - 1);  // 0 has no sign.
  }
  std::size_t same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) same += first[i].head == second[i].head;
  CHECK(same < first.size() / 4);
}

TEST_CASE("the shipped texts are what their names say") {
  const auto count = [](const wire::Contents& contents, auto&& holds) {
    return std::ranges::count_if(contents.texts, holds);
  };
  const auto ascii = [](const std::string& text) {
    return std::ranges::all_of(text, [](char byte) { return byte >= 0; });
  };
  const auto escaped = [](const std::string& text) {
    return text.find_first_of("\n\r\t\"\\") != std::string::npos;
  };
  CHECK(count(wire::e2_contents(), ascii) == 22);
  CHECK(count(wire::script_contents(), ascii) == 0);
  CHECK(count(wire::e2_contents(), escaped) + count(wire::script_contents(), escaped) == 0);
  const auto contents = wire::escape_contents();
  CHECK(count(contents, [&](const auto& text) { return escaped(text) || !ascii(text); }) == 22);
}
