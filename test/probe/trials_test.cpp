// Findings cross the border of a child as they are, and a child that dies takes nothing along.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/child.h"
#include "probe/evidence.h"
#include "probe/finding.h"
#include "probe/loopback.h"

namespace wiremark::probe {
namespace {

TEST_CASE("what a child found is what comes back") {
  const Findings found = in_child([]() -> Findings {
    return {{"network", "a", Answer::no_effect, "one\ntwo", ""},
            {"limits", "b", Answer::untried, "", "change it"}};
  });
  REQUIRE(found.size() == 2);
  CHECK(found[0].answer == Answer::no_effect);
  CHECK(found[0].evidence == "one\ntwo");
  CHECK(found[1].group == "limits");
  CHECK(found[1].change == "change it");
}

TEST_CASE("a child ends with the process that started it") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Fd from_child(ends[0]);
  Fd child_has(ends[1]);
  const pid_t parent = ::fork();
  REQUIRE(parent >= 0);
  if (parent == 0) {
    in_child([&child_has]() -> Findings {
      ::alarm(0);  // That would end it, too.
      [[maybe_unused]] const auto told = ::write(child_has.get(), "", 1);
      for (;;) ::pause();
    });
    ::_exit(1);
  }
  child_has = Fd();
  char byte;
  CHECK(::read(from_child.get(), &byte, 1) == 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  pollfd ended{.fd = from_child.get(), .events = POLLIN, .revents = 0};
  REQUIRE(::poll(&ended, 1, 10'000) == 1);
  CHECK(::read(from_child.get(), &byte, 1) == 0);
}

TEST_CASE("of a child that dies nothing comes back") {
  CHECK(in_child([]() -> Findings { ::_exit(1); }).empty());
}

TEST_CASE("the path of a result and netprobe say it in the same words") {
  CHECK(copied_evidence(4, 4) == "4 sends, of which 100 % were copied by the kernel all the same");
  CHECK(copied_evidence(0, 0) == "no send went this way");
  CHECK(napi_evidence(7) == "a queue with the NAPI id 7 is polled");
  CHECK(napi_evidence(0).find("nothing is polled") != std::string::npos);
}

TEST_CASE("sockets over loopback reach one another and have no queue of a card") {
  for (const auto connect : {connect_streams, connect_datagrams}) {
    const auto pair = connect();
    REQUIRE(pair);
    char byte = 'x';
    REQUIRE(::write(pair->client.get(), &byte, 1) == 1);
    REQUIRE(::read(pair->server.get(), &byte, 1) == 1);
    CHECK(napi_id(pair->server.get()) == 0);
  }
}

TEST_CASE("each line about the machine names what was seen") {
  const auto lines = machine_evidence();
  CHECK(lines.size() == probe_machine().size());
  for (const std::string& line : lines) CHECK(line.find(", ") != std::string::npos);
}

}  // namespace
}  // namespace wiremark::probe
