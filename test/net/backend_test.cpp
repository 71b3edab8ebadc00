// Which backend runs: with io_uring as this machine has it, and, under deny_uring, without.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "net/reactor.h"

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("backends are named and nothing else is one") {
  for (const Backend backend : {Backend::automatic, Backend::epoll, Backend::uring, Backend::xdp})
    CHECK(parse_backend(to_string(backend)) == backend);
  for (const char* text : {"", "io_uring", "EPOLL", "automatic"}) {
    const auto backend = parse_backend(text);
    REQUIRE_FALSE(backend);
    CHECK(backend.error().message().find("auto, epoll, uring or xdp") != std::string::npos);
  }
}

TEST_CASE("a backend asked for by name is that one or an error, and auto says what it did") {
  const auto epoll = choose_backend(Backend::epoll);
  REQUIRE(epoll);
  CHECK(epoll->backend == Backend::epoll);
  CHECK(epoll->note.empty());
  const auto automatic = choose_backend(Backend::automatic);
  REQUIRE(automatic);
  const auto uring = choose_backend(Backend::uring);
  if (uring) {
    CHECK(uring->backend == Backend::uring);
    CHECK(automatic->backend == Backend::uring);
    CHECK(automatic->note.empty());
  } else {
    CHECK(automatic->backend == Backend::epoll);
    CHECK(automatic->note.find(uring.error().message()) != std::string::npos);
  }
}

// Skipped unless its name is asked for, as the test `net-uring-denied` does under deny_uring.
TEST_CASE("denied io_uring is an error that names the fix" * doctest::skip()) {
  const auto uring = choose_backend(Backend::uring);
  REQUIRE_FALSE(uring);
  CHECK(uring.error().code == EPERM);
  const std::string message = uring.error().message();
  CHECK(message.find("--backend epoll") != std::string::npos);
  CHECK((message.find("seccomp") != std::string::npos ||
         message.find("io_uring_disabled") != std::string::npos));
  const auto automatic = choose_backend(Backend::automatic);
  REQUIRE(automatic);
  CHECK(automatic->backend == Backend::epoll);
  CHECK(automatic->note.find("epoll") != std::string::npos);
}
