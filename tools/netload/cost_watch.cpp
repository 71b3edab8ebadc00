// What both ends have spent, at the moments between the parts of a run.
#include "netload/cost_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "netload/find_server.h"
#include "netload/rest_watch.h"

namespace wiremark::tools {

CostWatch::CostWatch(const Target& target)
    : target_(target), tree_(processes_, target.pids, ::getpid()) {
  left_open_ = unfinished().unclosed;
}

Spent CostWatch::spent() {
  Spent spent;
  spent.own = measure::cpu_of_this_process() - looking_;
  if (target_.pids.empty()) {
    spent.lost = target_.unknown;
    return spent;
  }
  return aside([&] {
    auto look = tree_.look();
    spent.server = look.spent;
    spent.lost = std::move(look.lost);
    spent.unsure = look.unsure;
    spent.processes = tree_.describe();
    if (const auto only = tree_.only()) {
      if (const auto memory = measure::memory_of_process(*only))
        spent.server_rss_bytes = memory->resident_bytes_max;
    }
    return std::move(spent);
  });
}

Spent CostWatch::spent_at_rest() {
  constexpr auto kPause = std::chrono::milliseconds(1);
  const Spent before = spent();  // It finds the processes that are there by now.
  if (target_.pids.empty()) return before;
  RestWatch watch;
  std::optional<std::size_t> left;
  const auto look = [&] {
    if (left != 0) left = left_to_do();
    return watch.see({now_ns(), *left, tree_.runs(), tree_.spent_by_seen()});
  };
  RestWatch::State state = aside(look);
  while (state == RestWatch::State::works) {
    std::this_thread::sleep_for(kPause);
    state = aside(look);
  }
  Spent after = spent();
  for (const std::string_view why : {std::string_view(before.lost), why_unknown(state)})
    if (after.lost.empty()) after.lost = why;
  after.unsure += before.unsure;
  return after;
}

std::size_t CostWatch::left_to_do() const {
  const measure::UnfinishedConnections left = unfinished();
  return left.unaccepted + (left.unclosed - std::min(left.unclosed, left_open_));
}

measure::UnfinishedConnections CostWatch::unfinished() const {
  if (!has_tcp_port()) return {};
  return measure::unfinished_at(tcp_port()).value_or(measure::UnfinishedConnections{});
}

bool CostWatch::has_tcp_port() const {
  return !target_.pids.empty() && !target_.address.is_unix() && !target_.address.is_udp();
}

measure::TcpPort CostWatch::tcp_port() const {
  return {host_of(target_.address), target_.address.port()};
}

std::optional<measure::PortConnections> CostWatch::connections() {
  if (!has_tcp_port()) return std::nullopt;
  return aside([&] { return measure::connections_at(tcp_port()); });
}

std::string CostWatch::replaced() const {
  if (!target_.found || target_.pids.empty()) return {};
  for (const pid_t pid : find_server(target_.address).pids) {
    if (tree_.has(pid)) continue;
    return fmt::format("process {} came to hold its socket while the run lasted", pid);
  }
  return {};
}

}  // namespace wiremark::tools
