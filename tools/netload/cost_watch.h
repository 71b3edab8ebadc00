// What both ends have spent, at the moments between the parts of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measure/cpu_usage.h"
#include "measure/port_connections.h"
#include "measure/process_tree.h"
#include "measure/server_end.h"
#include "netload/rest_watch.h"
#include "netload/target.h"

namespace wiremark::tools {

/// Processor time up to a moment. The difference of two counts.
struct Spent {
  Nanoseconds own_at = 0;
  measure::CpuUsage own;
  Nanoseconds server_at = 0;
  measure::CpuUsage server;
  /// Why nobody knows what the server spent since the moment before; mostly empty.
  std::string lost;
  Nanoseconds unsure = 0;                         ///< How far off that may be.
  std::string processes;                          ///< Of the server.
  std::optional<std::uint64_t> server_rss_bytes;  ///< At its highest, where it is one process.
};

/// Looks at the server's processes in /proc. What looking takes is not in our own time.
class CostWatch {
 public:
  explicit CostWatch(const Target& target);

  Spent spent();

  /// After connections were opened or closed: waits until the server has done its part, which it
  /// has when it rests and, over TCP, has accepted or closed them. Says what was spent then; `lost`
  /// where RestWatch saw that it does not come to that.
  Spent spent_at_rest();

  /// Those that the last look saw.
  std::vector<pid_t> server_pids() const { return tree_.pids(); }

  /// What this thread does in `work` is left out of our own time.
  template <class Work>
  auto aside(Work&& work) {
    const measure::CpuUsage before = measure::cpu_of_this_thread();
    auto done = work();
    looking_ = looking_ + (measure::cpu_of_this_thread() - before);
    return done;
  }

  /// The connections to the server, ours among them; over UDP the sockets that are connected to it.
  using Connections = std::optional<std::vector<measure::ServerEnd>>;
  /// None where those of others cannot be seen.
  Connections connections();
  /// Over UDP: how many datagrams all processes here have received.
  std::optional<std::uint64_t> datagrams();

  /// Once our connections are open: as spent_at_rest(). Who holds the server's ends of them serves
  /// us, whether it is of the processes that were found or not, and is of the server from now on.
  Spent spent_when_open();

  /// While they are still open: why the processes that were looked at are not those that serve us;
  /// mostly empty.
  std::string served_by_others(const Connections& connections);

 private:
  /// Who holds the server's ends of our connections, and the sockets that take others.
  struct Holders {
    std::set<pid_t> all;
    std::set<pid_t> others;  ///< Those that are not of the tree.
    std::string unknown;     ///< Why some that hold connections are not known; mostly empty.
  };
  Holders holders(const Connections& connections, const std::vector<measure::Listener>& listeners);
  Connections server_ends() const;
  void look();

  std::size_t left_to_do() const;  // Connections that the server has yet to accept or close.
  measure::UnfinishedConnections unfinished() const;
  bool has_tcp_port() const;  // Of a server whose processes are known.
  measure::HostPort host_port() const;

  const Target& target_;
  measure::ProcProcesses processes_;
  measure::ProcessTree tree_;
  measure::ProcessTree::Look seen_;  // Since what was spent was told.
  const std::set<std::uint64_t> own_sockets_ = measure::sockets_of_this_process();  // Before it.
  RestWatch::State rest_ = RestWatch::State::rests;  // What the last wait came to.
  std::string unseen_;         // Why some that hold our connections are not known; mostly empty.
  measure::CpuUsage looking_;  // What it took.
  std::size_t left_open_ = 0;  // Behind its clients, by the server, before ours came.
};

/// The moments of a run, in their order; each part ends where the next begins.
struct CostRecord {
  Spent begun{};   ///< Before the first connection was opened.
  Spent open{};    ///< All were.
  Spent closed{};  ///< All were closed, and the server has seen it.
  std::string served_by_others{};
  /// All, before the first of ours was opened and before the first of ours was closed.
  CostWatch::Connections connections_before{}, connections_after{};
  std::optional<std::uint64_t> datagrams_before{}, datagrams_after{};
  double seconds = 0;  ///< Between those.
};

}  // namespace wiremark::tools
