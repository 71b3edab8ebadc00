// What both ends have spent, at the moments between the parts of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/cpu_usage.h"
#include "measure/port_connections.h"
#include "measure/process_tree.h"
#include "netload/target.h"

namespace wiremark::tools {

/// Processor time up to a moment. The difference of two counts.
struct Spent {
  measure::CpuUsage own;
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

  /// The connections to the server, ours among them. None where they cannot be seen.
  std::optional<measure::PortConnections> connections();

  /// After a run: why the processes that were found are not those that served it; mostly empty.
  std::string replaced() const;

 private:
  std::size_t left_to_do() const;  // Connections that the server has yet to accept or close.
  measure::UnfinishedConnections unfinished() const;
  bool has_tcp_port() const;  // Of a server whose processes are known.
  measure::TcpPort tcp_port() const;

  const Target& target_;
  measure::ProcProcesses processes_;
  measure::ProcessTree tree_;
  measure::CpuUsage looking_;  // What it took.
  std::size_t left_open_ = 0;  // Behind its clients, by the server, before ours came.
};

/// The moments of a run, in their order; each part ends where the next begins.
struct CostRecord {
  Spent begun{};   ///< Before the first connection was opened.
  Spent open{};    ///< All were.
  Spent closed{};  ///< All were closed, and the server has seen it.
  std::string replaced{};
  /// Before the first of our connections was opened, and when all were closed.
  std::optional<measure::PortConnections> others_before{}, others_after{};
  double seconds = 0;  ///< Between those.
};

}  // namespace wiremark::tools
