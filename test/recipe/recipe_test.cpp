// CONTRIBUTING.md's recipe for a protocol: its errors, which no framer knows.
#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

#include "load/exchange/exchanges.h"

using namespace wiremark;
using namespace wiremark::load;

TEST_CASE("an error reply is known by its text, wherever that was cut") {
  const auto plan = plan_exchange({.custom = {.scheme = "beanstalk"}}, 0);
  REQUIRE(plan);
  const auto exchange = (*plan)->exchange(1);
  exchange->opened(0);
  const auto read = [&](std::string_view bytes) { return exchange->reply({}, as_bytes(bytes)); };

  constexpr std::string_view kError = "NOT_FOUND\r\n";
  for (std::size_t cut = 0; cut < kError.size(); ++cut) {
    CAPTURE(cut);
    if (cut > 0) CHECK(read(kError.substr(0, cut)).consumed == cut);
    const Reply reply = read(kError.substr(cut));
    CHECK(reply.size == kError.size());
    CHECK(reply.error);
    CHECK(exchange->refusal().kind == "beanstalk NOT_FOUND");
    CHECK_FALSE(read("USING default\r\n").error);
  }
}
