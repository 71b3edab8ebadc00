// What both ends have spent, at the moments between the parts of a run.
#include "netload/cost_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "measure/path_connections.h"
#include "measure/socket_holders.h"
#include "netload/find_server.h"

namespace wiremark::tools {

namespace {

// Between two looks at a server that has something to do.
constexpr auto kPause = std::chrono::milliseconds(1);

}  // namespace

CostWatch::CostWatch(const Target& target)
    : target_(target), tree_(processes_, target.pids, ::getpid()) {
  left_open_ = unfinished().unclosed;
}

Spent CostWatch::spent() {
  Spent spent;
  spent.own_at = now_ns();
  spent.own = measure::cpu_of_this_process() - looking_;
  if (target_.pids.empty()) {
    spent.lost = target_.unknown;
    return spent;
  }
  return aside([&] {
    spent.server_at = now_ns();
    look();
    const auto seen = std::exchange(seen_, {});
    spent.server = seen.spent;
    spent.lost = seen.lost;
    spent.unsure = seen.unsure;
    spent.processes = tree_.describe();
    if (const auto only = tree_.only()) {
      if (const auto memory = measure::memory_of_process(*only))
        spent.server_rss_bytes = memory->resident_bytes_max;
    }
    return std::move(spent);
  });
}

void CostWatch::look() {
  auto look = tree_.look();
  seen_.spent = look.spent;
  seen_.unsure += look.unsure;
  if (seen_.lost.empty()) seen_.lost = std::move(look.lost);
}

Spent CostWatch::spent_at_rest() {
  const Spent before = spent();  // It finds the processes that are there by now.
  if (target_.pids.empty()) return before;
  RestWatch watch;
  std::optional<std::size_t> left;
  const auto look = [&] {
    if (left != 0) left = left_to_do();
    return watch.see({now_ns(), *left, tree_.runs(), tree_.stopped(), tree_.spent_by_seen()});
  };
  rest_ = aside(look);
  while (rest_ == RestWatch::State::works) {
    std::this_thread::sleep_for(kPause);
    rest_ = aside(look);
  }
  Spent after = spent();
  for (const std::string_view why : {std::string_view(before.lost), why_unknown(rest_)})
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
  return measure::unfinished_at(host_port()).value_or(measure::UnfinishedConnections{});
}

bool CostWatch::has_tcp_port() const {
  return !target_.pids.empty() && !target_.address.is_unix() && !target_.address.is_udp();
}

measure::HostPort CostWatch::host_port() const {
  return {host_of(target_.address), target_.address.port()};
}

CostWatch::Connections CostWatch::server_ends() const {
  const net::Address& to = target_.address;
  if (to.is_unix()) return measure::connections_at(to.path(), own_sockets_);
  return to.is_udp() ? measure::datagram_clients_of(host_port())
                     : measure::connections_at(host_port());
}

CostWatch::Connections CostWatch::connections() {
  const net::Address& to = target_.address;
  if (target_.pids.empty()) return std::nullopt;
  return aside([&] {
    const bool others_hidden = to.is_unix() && listeners_of(to).empty();
    return others_hidden ? std::nullopt : server_ends();
  });
}

std::optional<std::uint64_t> CostWatch::datagrams() {
  if (target_.pids.empty() || !target_.address.is_udp()) return std::nullopt;
  return aside([] { return measure::datagrams_received(); });
}

CostWatch::Holders CostWatch::holders(const Connections& connections,
                                      const std::vector<measure::Listener>& listeners) {
  std::map<std::uint64_t, measure::Listener> ours;
  for (const measure::ServerEnd& end : connections.value_or(std::vector<measure::ServerEnd>{})) {
    if (end.client == measure::Client::ours && end.socket.inode != 0)
      ours.emplace(end.socket.inode, end.socket);
  }
  std::set<std::uint64_t> inodes;
  for (const auto& [inode, socket] : ours) inodes.insert(inode);
  for (const measure::Listener& socket : listeners) inodes.insert(socket.inode);
  const auto found = measure::holders_of(inodes);
  look();  // What it has started for them is there by now.
  Holders holders;
  for (const auto& [inode, pids] : found.pids) {
    ours.erase(inode);
    holders.all.insert(pids.begin(), pids.end());
  }
  holders.others = holders.all;
  std::erase_if(holders.others, [&](pid_t pid) {
    const auto has_ended = [&] { return !processes_.times(pid); };
    return tree_.has(pid) || pid == ::getpid() || has_ended() || is_systemd(pid);
  });
  std::size_t unnamed = 0;
  for (const auto& [pid, files] : found.unnamed) unnamed += tree_.has(pid) ? files : 0;
  if (ours.size() > unnamed) holders.unknown = why_hidden(ours.begin()->second, found.some_hidden);
  return holders;
}

Spent CostWatch::spent_when_open() {
  // A connection that is passed on (SCM_RIGHTS, unix(7)) is with nobody until it is taken.
  constexpr Nanoseconds kPatience = 5 * kSecond;
  Spent open = spent_at_rest();
  if (target_.pids.empty()) return open;
  std::set<pid_t> before;
  for (const Nanoseconds end = now_ns() + kPatience;;) {
    const std::vector<pid_t> members = tree_.pids();
    const Holders found = aside([&] { return holders(server_ends(), {}); });
    // One that was about to fork, or to close its copy, has done so where nobody ran meanwhile; of
    // those that never rest two looks agree.
    const bool rested =
        rest_ == RestWatch::State::rests && members == tree_.pids() && !tree_.runs();
    const bool same = rested || found.all == before;
    if (target_.found) unseen_ = found.unknown;
    if (!found.others.empty()) tree_.adopt(found.others);
    if (found.others.empty() && unseen_.empty() && same) return open;
    if (now_ns() >= end) {
      if (unseen_.empty()) unseen_ = "its connections went from one process to another";
      return open;
    }
    before = found.all;
    std::this_thread::sleep_for(kPause);
    const bool never_rests = rest_ == RestWatch::State::runs_on;
    Spent later = never_rests ? spent() : spent_at_rest();
    if (later.lost.empty()) later.lost = std::move(open.lost);
    later.unsure += open.unsure;
    open = std::move(later);
  }
}

std::string CostWatch::served_by_others(const Connections& connections) {
  if (target_.pids.empty()) return {};
  return aside([&]() -> std::string {
    std::vector<measure::Listener> listeners;
    if (target_.found) listeners = listeners_of(target_.address);
    const Holders found = holders(connections ? connections : server_ends(), listeners);
    if (!found.others.empty()) {
      return fmt::format(
          "process {} came to hold its connections or its socket while the run lasted",
          *found.others.begin());
    }
    if (!target_.found) return {};
    return unseen_.empty() ? found.unknown : unseen_;
  });
}

}  // namespace wiremark::tools
