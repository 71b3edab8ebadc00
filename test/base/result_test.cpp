// Errors say what was done, to what, and why it failed.
#include "base/result.h"

#include <doctest/doctest.h>

using namespace wiremark;

TEST_CASE("an error reads as operation, object, reason") {
  CHECK(Error{"bind", EADDRINUSE, "127.0.0.1:7007"}.message() ==
        "bind 127.0.0.1:7007: Address already in use");
  CHECK(Error{"not a port", 0, ""}.message() == "not a port");
}

TEST_CASE("failed() keeps the errno of the call that failed") {
  errno = ENOENT;
  const Result<int> result = failed("open", "x");
  CHECK(result.error().code == ENOENT);
  CHECK(result.error().message() == "open x: No such file or directory");
}
