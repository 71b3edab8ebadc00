// Processor time of processes and all that they start, those that end meanwhile included.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measure/cpu_usage.h"

namespace wiremark::measure {

/// What the kernel says of one process at a moment (proc_pid_stat(5)).
struct ProcessTimes {
  pid_t parent = 0;
  std::uint64_t started = 0;  ///< Tells it from another that has the same number later.
  std::string name;
  CpuUsage own;       ///< All threads, ended ones included.
  CpuUsage children;  ///< Of those that ended and were waited for, to one clock tick.
  // Pages touched first, counted exactly: with them a parent that waits for a child inherits the
  // child's time too, and shows that it did.
  std::uint64_t faults = 0;
  std::uint64_t children_faults = 0;
};

/// The processes of a machine; a test has its own.
class Processes {
 public:
  virtual ~Processes() = default;
  /// The numbers of all that can be seen.
  virtual std::vector<pid_t> list() = 0;
  /// None where there is none of that number.
  virtual std::optional<ProcessTimes> times(pid_t pid) = 0;
  /// Whether a thread of it runs, or waits for a processor.
  virtual bool runs(pid_t pid) = 0;
  /// Whether a thread of it was stopped by a signal or a debugger.
  virtual bool stopped(pid_t pid) = 0;
};

/// Those of /proc.
class ProcProcesses : public Processes {
 public:
  std::vector<pid_t> list() override;
  std::optional<ProcessTimes> times(pid_t pid) override;
  bool runs(pid_t pid) override;
  bool stopped(pid_t pid) override;
};

/// Asked now and then what its processes have spent. One that ended between two looks is in the
/// time of the one that waited for it. Where nobody waited, as with SIGCHLD ignored, or one did
/// that is not in the tree, the time between the two looks is unknown.
class ProcessTree {
 public:
  /// `roots` and what descends from them, but for the branch in which `without` is.
  ProcessTree(Processes& processes, std::vector<pid_t> roots, pid_t without);

  struct Look {
    CpuUsage spent;    ///< Since some moment: the difference of two looks counts.
    std::string lost;  ///< Why the time since the look before is not known; mostly empty.
    /// How far off that time may be: what ended has left its own in clock ticks.
    Nanoseconds unsure = 0;
  };
  Look look();
  /// Others that belong to it as `roots` do, from the next look on, which does not tell what was
  /// spent since the look before: they may be older.
  void adopt(const std::set<pid_t>& pids);
  /// Whether one of those that the last look saw has something to do: whoever has runs, or waits
  /// for a processor, from the moment at which it came, but for one that was stopped.
  bool runs() const;
  bool stopped() const;  ///< One of them.
  /// The processor time of those that the last look saw and that are still there.
  Nanoseconds spent_by_seen() const;

  /// As the last look saw it.
  bool has(pid_t pid) const { return members_.contains(pid); }
  /// "socat (81), and 20 started by it".
  std::string describe() const;
  std::vector<pid_t> pids() const;
  /// The one process that there is.
  std::optional<pid_t> only() const;

 private:
  using Members = std::map<pid_t, ProcessTimes>;

  void keep_apart();
  Members find_members();
  void compare(const Members& before, const Members& now, Look& look) const;

  Processes& processes_;
  std::vector<pid_t> roots_;
  const pid_t without_;
  std::set<pid_t> adopted_;  // Since the last look.
  std::set<pid_t> apart_;    // The one that is left out and its ancestors below a root.
  std::set<pid_t> others_;   // Seen, and not of the tree.
  Members members_;
  bool looked_ = false;
};

}  // namespace wiremark::measure
