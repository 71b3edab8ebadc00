// What bypassing the kernel could save: times the same message over shorter and shorter ways.
#include "netload/studies/bypass.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/memory_echo.h"
#include "measure/quantity.h"
#include "netload/studies/contenders.h"
#include "netload/studies/udp_ways.h"
#include "report.h"

namespace wiremark::tools {

namespace {

/// One round trip of each way and what a message costs under load, round by round.
class Ladder {
 public:
  explicit Ladder(const LoadOptions& options) : options_(options) {}

  /// Starts the servers. Errors: one does not start.
  Result<> enter_all(net::Backend backend);
  /// Runs all rounds, until one fails.
  void climb(const std::vector<std::string>& arguments, const net::Stop& stop, Signals& signals);

  const std::vector<Contender>& contenders() const noexcept { return contenders_; }
  const Course& course() const noexcept { return course_; }
  report::Bypass study() const;

 private:
  const LoadOptions& options_;
  std::vector<Contender> contenders_;  // As the ways of report::Bypass, without those of UDP.
  std::vector<double> memory_ns_;      // The median round trip through memory, round by round.
  Course course_;
  UdpWays udp_;
};

Result<> Ladder::enter_all(net::Backend backend) {
  using Mode = net::WaitPolicy::Mode;
  using Listen = ServerProcess::Listen;
  struct Entry {
    const char* name;
    Mode wait;
    Listen listen;
    unsigned connections;
  };
  for (const auto& [name, wait, listen, connections] :
       {Entry{"TCP, asleep in between", Mode::block, Listen::tcp, 1},
        Entry{"TCP, spinning", Mode::spin, Listen::tcp, 1},
        Entry{"Unix socket, spinning", Mode::spin, Listen::unix_path, 1},
        Entry{"load", Mode::block, Listen::tcp, options_.connections}}) {
    LoadOptions load = options_;
    load.backend.reactor.wait.mode = wait;
    load.connections = connections;
    auto contender = enter(name, load, backend, backend, listen);
    if (!contender) return std::unexpected(contender.error());
    contenders_.push_back(std::move(*contender));
  }
  return {};
}

void Ladder::climb(const std::vector<std::string>& arguments, const net::Stop& stop,
                   Signals& signals) {
  const int client = options_.threads.cpus.front();
  const int server = options_.server_cpus.front();
  const auto through_memory = [&] {
    // Its trips are some ten times as short.
    const Nanoseconds duration = options_.time.duration > 0 ? options_.time.duration / 10 : kNever;
    const std::uint64_t trips_max =
        options_.requests > 0 ? static_cast<std::uint64_t>(options_.requests) : UINT64_MAX;
    const auto trips = measure::measure_memory_echo(options_.exchange.size->max, duration,
                                                    trips_max, client, server);
    if (trips) memory_ns_.push_back(static_cast<double>(trips->percentile(50)));
  };
  course_ = run_rounds(options_.rounds, contenders_, arguments, stop, signals, through_memory);
  if (course_.failed) {
    udp_.not_tried = "a round failed before";
    return;
  }
  udp_ = measure_udp_ways(options_, contenders_.front().client, arguments, stop, signals);
  course_.failed = udp_.failed;
  if (!memory_ns_.empty() || stop.requested() || course_.failed) return;
  course_.failed = {
      "shared memory", 1,
      fmt::format("no two threads can be kept on processors {} and {}", client, server)};
}

report::Bypass Ladder::study() const {
  report::Bypass study;
  study.setting = setting_of(
      options_, fmt::format("{} there and back, one in flight, {} of {} of each way in turn",
                            measure::format_counted(options_.exchange.size->max, "byte"),
                            measure::format_counted(contenders_.front().rounds.size(), "round"),
                            length_in_words(options_)));
  study.message_bytes = options_.exchange.size->max;
  study.rounds_left_out = course_.left_out;
  study.failed = course_.failed;
  for (const Contender& one : contenders_)
    study.ways.push_back({one.name, one.load.connections, one.rounds});
  study.ways.insert(study.ways.end() - 1, udp_.ways.begin(), udp_.ways.end());
  if (!udp_.not_tried.empty()) study.not_tried = udp_.not_tried;
  return report::with_parts(std::move(study), memory_ns_);
}

}  // namespace

int show_bypass(const LoadOptions& options, const std::vector<std::string>& arguments,
                const net::Stop& stop, Signals& signals) {
  const auto backend = usable_backend("netload", options.backend, options.output.quiet);
  if (!backend) return cannot("netload", backend.error());
  Ladder ladder(options);
  if (auto done = ladder.enter_all(*backend); !done) return cannot("netload", done.error());
  ladder.climb(arguments, stop, signals);
  // What a part of the way takes is the difference of two ways.
  const auto& ways = ladder.contenders();
  if (std::ranges::any_of(ways, [](const Contender& way) { return way.rounds.empty(); }))
    return ending_of(options, ways, ladder.course());
  bool adds_up = true;
  const int code = conclude(options, ways, ladder.course(), [&] {
    report::Bypass study = ladder.study();
    adds_up = !study.invalid;
    return study;
  });
  return code == kDone && options.strict && !adds_up ? kCheckFailed : code;
}

}  // namespace wiremark::tools
