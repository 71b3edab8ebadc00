// What a netload command is read as, and what it meets on machines that lack something.
#include "probe/command.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace wiremark::probe {
namespace {

constexpr Limits kLarge{.descriptors = 1'000'000,
                        .backlog = 65'535,
                        .ports = 28'232,
                        .memory_bytes = std::uint64_t{16} << 30,
                        .cores = 8,
                        .message_ns = 10 * kMicrosecond};

constexpr Backends kBoth;

Command read(std::string_view text) {
  const auto command = Command::parse(text);
  REQUIRE_MESSAGE(command, command.error().message());
  return *command;
}

Answer answer_of(const Forecast& forecast, std::string_view what) {
  const auto found = std::ranges::find(forecast.findings, what, &Finding::what);
  REQUIRE(found != forecast.findings.end());
  return found->answer;
}

TEST_CASE("options are read in each of their forms, and the target is what is left") {
  const Command command = read(
      "build/tools/netload -c50k --threads=4 -t 8 --wait adaptive:50us -r 2 --strict "
      "--send 'get :7' 10.0.0.2:7007 --source-ip 10.0.0.1,10.0.0.3");
  CHECK(command.connections == 50'000);
  CHECK(command.threads == 8);
  CHECK(command.sources == 2);
  CHECK(command.rate_hz == 100'000);
  CHECK(command.target == "10.0.0.2:7007");
  CHECK_FALSE(command.is_local());
  CHECK(read("netload").connections == 100);
  CHECK(read("netload --json :7007").target == ":7007");
  CHECK(read("netload --compare epoll,uring").backends ==
        std::vector<std::string>{"epoll", "uring"});
}

TEST_CASE("what is no command of netload is refused") {
  CHECK_FALSE(Command::parse("").has_value());
  CHECK_FALSE(Command::parse("wrk -c 100").has_value());
  CHECK_FALSE(Command::parse("netload -c many").has_value());
  CHECK_FALSE(Command::parse("netload -c").has_value());
  CHECK_FALSE(Command::parse("netload -t 0").has_value());
}

TEST_CASE("a machine that has enough says yes to everything") {
  const Forecast all = forecast(read("netload -c 20000 -t 4 10.0.0.2:7007"), kLarge, kBoth);
  for (const Finding& finding : all.findings) {
    CAPTURE(finding.what);
    CHECK(finding.answer == Answer::yes);
    CHECK(finding.change.empty());
  }
  CHECK(all.obstacle.empty());
}

TEST_CASE("each limit is named by the one that is too low") {
  const Command command = read("netload -c 50000 -t 4 10.0.0.2:7007");
  Limits limits = kLarge;
  CHECK(answer_of(forecast(command, limits, kBoth), "enough ports") == Answer::no);
  limits.ports = 60'000;
  CHECK(answer_of(forecast(command, limits, kBoth), "enough ports") == Answer::yes);
  limits.descriptors = 50'000;
  CHECK(answer_of(forecast(command, limits, kBoth), "enough open files") == Answer::no);
  CHECK(forecast(command, limits, kBoth).obstacle.starts_with("50,032 open files"));
  const Command of_threads = read("netload -c 5 -t 32 10.0.0.2:7007");
  limits.descriptors = 148;  // 5, 16 of its own, and 4 for each thread are one more.
  CHECK(answer_of(forecast(of_threads, limits, kBoth), "enough open files") == Answer::no);
  limits = kLarge;
  limits.backlog = 4096;
  CHECK(answer_of(forecast(command, limits, kBoth), "backlog for a burst") == Answer::no);
  CHECK(forecast(command, limits, kBoth).obstacle.empty());
  limits = kLarge;
  limits.memory_bytes = 100 << 20;
  CHECK(answer_of(forecast(command, limits, kBoth), "enough memory") == Answer::no);
  CHECK_FALSE(forecast(command, limits, kBoth).obstacle.empty());
  limits = kLarge;
  limits.cores = 3;
  CHECK(answer_of(forecast(command, limits, kBoth), "a core for each thread") == Answer::no);
  CHECK(forecast(read("netload -c 100 -t 64"), limits, kBoth).obstacle.empty());
  CHECK(forecast(read("netload -c 100 -t 65"), limits, kBoth).obstacle ==
        "65 threads are too many for 3 processors");
  limits.cores = 17;
  CHECK(forecast(read("netload -c 100 -t 68"), limits, kBoth).obstacle.empty());
}

TEST_CASE("a rate needs threads that have the time for it") {
  const auto answer = [](std::string_view text) {
    return answer_of(forecast(read(text), kLarge, kBoth), "time for each message");
  };
  CHECK(answer("netload -R 200k") == Answer::yes);
  CHECK(answer("netload -R 201k") == Answer::no);
  CHECK(answer("netload -R 201k -t 2") == Answer::yes);
  CHECK(answer("netload -r 2010 -c 100") == Answer::no);
}

TEST_CASE("over loopback both ends take memory, and ports are no matter") {
  const Command command = read("netload -c 50000");
  Limits limits = kLarge;
  limits.memory_bytes = 300 << 20;
  CHECK(answer_of(forecast(command, limits, kBoth), "enough ports") == Answer::yes);
  CHECK(answer_of(forecast(command, limits, kBoth), "enough memory") == Answer::no);
}

// Whether anything that the command asks for can run, and whether all of it can.
struct Chance {
  bool any;
  bool all;
  bool operator==(const Chance&) const = default;
};

Chance chance(std::string_view command, const Backends& can) {
  const Forecast met = forecast(read(command), kLarge, can);
  return {met.obstacle.empty(), answer_of(met, "backends") == Answer::yes};
}

TEST_CASE("what runs on a machine without io_uring is what epoll can do") {
  constexpr Backends kEpoll{.uring = false};
  CHECK(chance("netload", kEpoll) == Chance{true, true});
  CHECK(chance("netload -b epoll", kEpoll) == Chance{true, true});
  CHECK(chance("netload --compare epoll,uring", kEpoll) == Chance{true, false});
  CHECK(chance("netload -b uring", kEpoll) == Chance{false, false});
}

TEST_CASE("before Linux 5.11 nothing runs, whatever is asked") {
  constexpr Backends kNone{.epoll = false, .uring = false};
  for (const char* command : {"netload", "netload -b epoll", "netload -b uring",
                              "netload --compare epoll,uring", "netload --compare :7001,:7002"}) {
    CAPTURE(command);
    CHECK(chance(command, kNone) == Chance{false, false});
  }
  CHECK(forecast(read("netload"), kLarge, kNone).findings[0].change == "Linux 5.11");
}

TEST_CASE("what a filter denies to epoll alone is left to io_uring") {
  constexpr Backends kUring{.epoll = false};
  CHECK(chance("netload", kUring) == Chance{true, true});
  CHECK(chance("netload -b epoll", kUring) == Chance{false, false});
}

}  // namespace
}  // namespace wiremark::probe
