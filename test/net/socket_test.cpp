// Listening sockets and limits: what is taken over, what is refused, and with which words.
#include "net/socket.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace wiremark;
using namespace wiremark::net;

namespace {

Address address(const std::string& text) { return Address::parse(text).value(); }

std::string temporary_path() {
  return std::filesystem::temp_directory_path() /
         ("wiremark-socket-" + std::to_string(::getpid()) + ".socket");
}

}  // namespace

TEST_CASE("a port in use is an error that names it") {
  const auto first = listen_on(address("127.0.0.1:0"), {});
  REQUIRE(first);
  const Address taken = Address::of_socket(first->get()).value();
  const auto second = listen_on(taken, {});
  REQUIRE_FALSE(second);
  CHECK(second.error().code == EADDRINUSE);
  CHECK(second.error().message().find(taken.to_string()) != std::string::npos);
  CHECK_FALSE(require_free(taken));
}

TEST_CASE("a shared port is still noticed by require_free") {
  ListenOptions shared;
  shared.share_port = true;
  const auto first = listen_on(address("127.0.0.1:0"), shared);
  REQUIRE(first);
  const Address taken = Address::of_socket(first->get()).value();
  CHECK(listen_on(taken, shared));
  CHECK_FALSE(require_free(taken));
  CHECK(require_free(address("127.0.0.1:0")));
}

TEST_CASE("a Unix path left by a dead process is taken over") {
  const Address path = address("unix:" + temporary_path());
  CHECK(listen_on(path, {}));  // Closed at once; its file stays.
  const auto listener = listen_on(path, {});
  CHECK(listener);
  CHECK_FALSE(listen_on(path, {}));  // Somebody listens now.
  std::filesystem::remove(path.path());
}

TEST_CASE("a file that is no socket is never removed") {
  const std::string path = temporary_path();
  std::ofstream(path) << "precious";
  const auto listener = listen_on(address("unix:" + path), {});
  REQUIRE_FALSE(listener);
  CHECK(listener.error().code == EADDRINUSE);
  CHECK(std::filesystem::is_regular_file(path));
  std::filesystem::remove(path);
}

TEST_CASE("too few descriptors is an error that names the limit") {
  const auto enough = require_descriptors(10);
  REQUIRE(enough);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(*enough == limit.rlim_cur);
  CHECK(limit.rlim_cur == limit.rlim_max);
  const auto never = require_descriptors(*enough + 1);
  REQUIRE_FALSE(never);
  CHECK(never.error().message().find(std::to_string(limit.rlim_max)) != std::string::npos);
  CHECK(never.error().message().find("ulimit") != std::string::npos);
}
