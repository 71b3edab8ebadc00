// A mistyped word is near the one that was meant.
#include "suggestion.h"

#include <doctest/doctest.h>

using wiremark::tools::suggestion;

namespace {

const std::vector<std::string> kWords = {"connections", "connect-rate", "rate",
                                         "total-rate",  "timeout",      "slo"};

}  // namespace

TEST_CASE("a word that is a few keystrokes away") {
  CHECK(suggestion("conections", kWords) == "connections");
  CHECK(suggestion("connexions", kWords) == "connections");
  CHECK(suggestion("connnectionss", kWords) == "connections");
  CHECK(suggestion("tiemout", kWords) == "timeout");
  CHECK(suggestion("rat", kWords) == "rate");
  CHECK(suggestion("sol", kWords) == "slo");
}

TEST_CASE("the beginning of a word") {
  CHECK(suggestion("total", kWords) == "total-rate");
  CHECK(suggestion("connect-", kWords) == "connect-rate");
}

TEST_CASE("nothing that is near") {
  CHECK(suggestion("frobnicate", kWords).empty());
  CHECK(suggestion("x", kWords).empty());
  CHECK(suggestion("", kWords).empty());
  CHECK(suggestion("rate", {}).empty());
}
