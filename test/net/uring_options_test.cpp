// The choices of io_uring as users write them.
#include "net/uring_options.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("choices are read and printed") {
  for (const char* text : {"none", "direct", "bundle", "nominwait", "sqpoll=100ms", "napi=50us",
                           "zc=16384", "direct,bundle,nominwait,sqpoll=1s,napi=1us,zc=1"}) {
    CAPTURE(text);
    const auto options = UringOptions::parse(text);
    REQUIRE(options);
    CHECK(options->to_string() == text);
    CHECK(options->any() == (std::string(text) != "none"));
  }
  CHECK(UringOptions::parse("zc,napi,sqpoll")->to_string() == "sqpoll=100ms,napi=50us,zc=16384");
  CHECK(UringOptions::parse("zc=64k")->zero_copy_min == 65'536);
}

TEST_CASE("what is no choice is refused, and the error names those there are") {
  for (const char* text : {"", "Direct", "direct,", ",zc", "direct=1", "bundle=no", "zc=0", "zc=x",
                           "sqpoll=0", "napi=1m", "batch", "direct bundle"}) {
    CAPTURE(text);
    CHECK_FALSE(UringOptions::parse(text));
  }
  CHECK(UringOptions::parse("fast").error().message().find("direct, bundle") != std::string::npos);
}
