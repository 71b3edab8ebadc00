// Lists of items with commas between them.
#include "base/list.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace wiremark;

namespace {

using Items = std::vector<std::string_view>;

}  // namespace

TEST_CASE("a list is cut at its commas and nowhere else") {
  CHECK(split_list("one") == Items{"one"});
  CHECK(split_list("a,bc,d e=1-2") == Items{"a", "bc", "d e=1-2"});
}

TEST_CASE("an item may be empty, and a list has at least one") {
  CHECK(split_list("") == Items{""});
  CHECK(split_list(",") == Items{"", ""});
  CHECK(split_list("a,") == Items{"a", ""});
  CHECK(split_list(",a") == Items{"", "a"});
  CHECK(split_list("a,,b") == Items{"a", "", "b"});
}

TEST_CASE("items borrow the list") {
  const std::string list = "ab,c";
  const Items items = split_list(list);
  REQUIRE(items.size() == 2);
  CHECK(items[0].data() == list.data());
  CHECK(items[1].data() == list.data() + 3);
}
