// What bypassing the kernel could save here: the same message over shorter and shorter ways.
#include "netload/bypass.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "measure/memory_echo.h"
#include "measure/quantity.h"
#include "measure/ratio.h"
#include "netload/conditions.h"
#include "netload/rounds.h"
#include "netload/spread_json.h"
#include "printing.h"
#include "report.h"
#include "report/json.h"

namespace wiremark::tools {

namespace {

using Figures = std::vector<double>;
using Json = nlohmann::ordered_json;

// The contenders: three ways through the kernel, one message in flight, and a load.
enum Way : std::size_t { asleep, spinning, unix_socket, under_load };
constexpr Way kWays[] = {asleep, spinning, unix_socket};

double p50_ns(const report::RunResult& round) {
  const auto histogram = report::restore(round.latency);
  return histogram ? static_cast<double>(histogram->percentile(50)) : 0;
}

double server_cost(const report::RunResult& round) {
  return round.server_us_cpu_per_message().value_or(0);
}

double client_cost(const report::RunResult& round) { return round.us_cpu_per_message(); }

// The kernel's part of the server's processor time.
double kernel_pct(const report::RunResult& round) {
  if (!round.server_cpu || round.server_cpu->total_s() <= 0) return 0;
  return 100 * round.server_cpu->sys_s / round.server_cpu->total_s();
}

// Round by round, because the runs of one round share the processors' places.
Figures differences(const Figures& longer, const Figures& shorter) {
  Figures result;
  for (std::size_t i = 0; i < std::min(longer.size(), shorter.size()); ++i)
    result.push_back(std::max(0.0, longer[i] - shorter[i]));
  return result;
}

std::string time_text(const Figures& figures_ns) {
  const auto spread = measure::spread_of(figures_ns);
  if (!spread) return "n/a";
  return fmt::format("{} ({} to {})", measure::format_time(spread->median),
                     measure::format_time(spread->min), measure::format_time(spread->max));
}

/// One round trip of each way and what a message costs under load, round by round.
class Ladder {
 public:
  explicit Ladder(const LoadOptions& options) : options_(options) {}

  /// Starts the servers. Errors: one that does not start.
  Result<> enter_all(net::Backend backend);
  /// Errors: those of run_load(), and processors that no thread may be kept on.
  Result<> climb(const std::vector<std::string>& arguments, const net::Stop& stop,
                 Signals& signals);

  const std::vector<Contender>& contenders() const noexcept { return contenders_; }
  void print() const;
  std::string document() const;

 private:
  Figures trip_ns(Way way) const { return contenders_[way].each(p50_ns); }
  /// What each difference between two ways is made of, in the order of the table.
  Figures sleep_ns() const { return differences(trip_ns(asleep), trip_ns(spinning)); }
  Figures tcp_ns() const { return differences(trip_ns(spinning), trip_ns(unix_socket)); }
  Figures kernel_ns() const { return differences(trip_ns(unix_socket), memory_ns_); }
  void print_ways() const;
  void print_parts() const;
  void print_load() const;

  const LoadOptions& options_;
  std::vector<Contender> contenders_;
  Figures memory_ns_;  // The median round trip through memory, round by round.
  unsigned left_out_ = 0;
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

Result<> Ladder::climb(const std::vector<std::string>& arguments, const net::Stop& stop,
                       Signals& signals) {
  const int client = options_.threads.cpus.front();
  const int server = options_.server_cpus.front();
  const auto through_memory = [&] {
    // Its trips are some ten times as short.
    const auto trips = measure::measure_memory_echo(options_.exchange.size->max,
                                                    options_.time.duration / 10, client, server);
    if (trips) memory_ns_.push_back(static_cast<double>(trips->percentile(50)));
  };
  const auto left_out =
      run_rounds(options_.rounds, contenders_, arguments, stop, signals, through_memory);
  if (!left_out) return std::unexpected(left_out.error());
  left_out_ = *left_out;
  if (!memory_ns_.empty() || stop.requested()) return {};
  return failed(fmt::format("no two threads can be kept on processors {} and {}", client, server),
                {}, 0);
}

void Ladder::print() const {
  print_out("{} there and back, one in flight, {} of {} of each way in turn\n\n",
            measure::format_counted(options_.exchange.size->max, "byte"),
            measure::format_counted(contenders_.front().rounds.size(), "round"),
            format_duration(options_.time.duration));
  print_ways();
  print_parts();
  print_load();
  print_conditions(contenders_, left_out_);
}

void Ladder::print_ways() const {
  constexpr auto kRow = "  {:<24} {:<32} {}\n";
  const auto cost = [](const Contender& one, double (*figure)(const report::RunResult&)) {
    return measure::spread_of(one.each(figure))->median;
  };
  print_out(kRow, "", "", "CPU us/message");
  print_out(kRow, "way", "p50 there and back", "server + client");
  for (const Way way : kWays) {
    const Contender& one = contenders_[way];
    print_out(kRow, one.name, time_text(trip_ns(way)),
              fmt::format("{:.2f} + {:.2f}", cost(one, server_cost), cost(one, client_cost)));
  }
  const double memory_us = measure::spread_of(memory_ns_)->median / kMicrosecond;
  print_out(kRow, "shared memory, spinning", time_text(memory_ns_),
            fmt::format("{:.2f} + {:.2f}", memory_us, memory_us));
}

void Ladder::print_parts() const {
  constexpr auto kRow = "    {:<30} {}\n";
  print_out("\n  of the {} with both ends asleep in between\n",
            measure::format_time(measure::spread_of(trip_ns(asleep))->median));
  print_out(kRow, time_text(sleep_ns()), "falling asleep and waking up: --wait spin saves that,");
  print_out(kRow, "", "without a bypass, for a processor at each end");
  print_out(kRow, time_text(tcp_ns()), "TCP and IP: a bypass brings a stack of its own for it");
  print_out(kRow, time_text(kernel_ns()), "system calls and sockets: a bypass saves that");
  print_out(kRow, time_text(memory_ns_), "copies and the way between the processors: nothing does");
}

void Ladder::print_load() const {
  const Contender& load = contenders_[under_load];
  const double kernel = measure::spread_of(load.each(kernel_pct))->median;
  print_out(
      "\n  under load, {} in a closed loop\n"
      "    {:.2f} us of the server's processor time per message, {} of it in the kernel:\n"
      "    a bypass saves that part at most, less what its own stack takes\n",
      measure::format_counted(options_.connections, "connection"),
      measure::spread_of(load.each(server_cost))->median,
      kernel > 99 ? "over 99 %" : fmt::format("{:.0f} %", kernel));
}

std::string Ladder::document() const {
  Json all;
  all["schema"] = "wiremark.bypass/1";
  all["message_bytes"] = options_.exchange.size->max;
  all["rounds_left_out"] = left_out_;
  all["parts_ns"] = {{"sleep_and_wake", json_of(measure::spread_of(sleep_ns()))},
                     {"tcp_and_ip", json_of(measure::spread_of(tcp_ns()))},
                     {"system_calls_and_sockets", json_of(measure::spread_of(kernel_ns()))},
                     {"shared_memory", json_of(measure::spread_of(memory_ns_))}};
  for (const Contender& one : contenders_) {
    Json way = {{"name", one.name},
                {"connections", one.load.connections},
                {"p50_ns", json_of(measure::spread_of(one.each(p50_ns)))},
                {"server_us_cpu_per_message", json_of(measure::spread_of(one.each(server_cost)))},
                {"us_cpu_per_message", json_of(measure::spread_of(one.each(client_cost)))},
                {"server_kernel_pct", json_of(measure::spread_of(one.each(kernel_pct)))}};
    for (const report::RunResult& round : one.rounds)
      way["rounds"].push_back(Json::parse(report::json_document(round)));
    all["ways"].push_back(std::move(way));
  }
  return all.dump(1) + '\n';
}

}  // namespace

int show_bypass(const LoadOptions& options, const std::vector<std::string>& arguments,
                const net::Stop& stop, Signals& signals) {
  const auto backend = usable_backend("netload", options.backend, options.output.quiet);
  if (!backend) return cannot("netload", backend.error());
  Ladder ladder(options);
  auto done = ladder.enter_all(*backend);
  if (done) done = ladder.climb(arguments, stop, signals);
  if (!done) return cannot("netload", done.error());
  return conclude(
      options, ladder.contenders(), [&] { ladder.print(); }, [&] { return ladder.document(); });
}

}  // namespace wiremark::tools
