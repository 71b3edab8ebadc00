// Signals that come when a tool has only to return.
#include "signals.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "exit_code.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

// How a tool exits that gets `before` while it may still be asked to stop, and `after` when its
// result is written. By itself it exits with 0.
int exit_of_tool_with(std::initializer_list<int> before, std::initializer_list<int> after) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    {
      net::Stop stop;
      const Signals signals(stop);
      for (const int signal : before) ::raise(signal);
    }
    for (const int signal : after) ::raise(signal);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("once the result is written a first signal changes nothing and a second ends at once") {
  for (const int signal : {SIGINT, SIGTERM}) {
    CHECK(exit_of_tool_with({}, {signal}) == 0);
    CHECK(exit_of_tool_with({signal}, {}) == 0);
    for (const int second : {SIGINT, SIGTERM}) {
      CHECK(exit_of_tool_with({signal}, {second}) == kInterrupted);
      CHECK(exit_of_tool_with({}, {signal, second}) == kInterrupted);
    }
  }
}

TEST_CASE("hangups end no tool, however many come") {
  CHECK(exit_of_tool_with({SIGHUP}, {SIGHUP, SIGHUP}) == 0);
  CHECK(exit_of_tool_with({SIGINT, SIGHUP}, {SIGHUP}) == 0);
}
