// Who has a socket open: this process, another, both, or nobody.
#include "measure/socket_holders.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "inode.h"

using namespace wiremark;
using namespace wiremark::measure;

TEST_CASE("a socket is held by all processes that have it open, until the last has closed it") {
  std::array<int, 2> pair{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
  Fd near(pair[0]), far(pair[1]);
  const std::uint64_t one = inode_of(near), other = inode_of(far);
  using Pids = std::set<pid_t>;
  CHECK(holders_of({one, other}).pids ==
        std::map<std::uint64_t, Pids>{{one, {::getpid()}}, {other, {::getpid()}}});

  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pair[0]);
    char byte = 0;
    while (::read(pair[1], &byte, 1) > 0 && byte != 'e')
      if (::write(pair[1], &byte, 1) != 1) break;
    ::_exit(0);
  }
  REQUIRE(child > 0);
  char byte = 'r';  // It has closed the other end when it answers.
  REQUIRE(::write(near.get(), &byte, 1) == 1);
  REQUIRE(::read(near.get(), &byte, 1) == 1);
  CHECK(holders_of({other}).pids.at(other) == Pids{::getpid(), child});
  far = Fd();
  CHECK(holders_of({one, other}).pids ==
        std::map<std::uint64_t, Pids>{{one, {::getpid()}}, {other, {child}}});
  byte = 'e';
  REQUIRE(::write(near.get(), &byte, 1) == 1);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(holders_of({other}).pids.empty());
}
