// One line of netprobe: what was tried, what came of it, what shows that, and what changes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wiremark::probe {

enum class Answer : std::uint8_t {
  yes,
  no,
  no_effect,  ///< The kernel accepts it and it does nothing here.
  untried,    ///< The evidence says what was missing.
};

/// "yes", "no", "no effect", "not tried".
std::string_view to_string(Answer answer) noexcept;

/// The groups of findings, by the names that are printed.
inline constexpr const char* kUringGroup = "io_uring";
inline constexpr const char* kNetworkGroup = "network";
inline constexpr const char* kMachineGroup = "machine";
inline constexpr const char* kLimitsGroup = "limits";
inline constexpr const char* kCommandGroup = "command";

struct Finding {
  std::string group;  ///< One of those above.
  std::string what;
  Answer answer = Answer::untried;
  std::string evidence;
  std::string change;  ///< The command that changes it; empty where there is none.
};

using Findings = std::vector<Finding>;

/// "io_uring_setup: Operation not permitted", of an errno.
std::string failure(std::string_view call, int error);

/// All that is tried here, and takes well below a second. Must run on a process of one thread.
Findings probe_all();

/// What the ring that netload needs is called, and what it needs of epoll.
inline constexpr const char* kReactorRing = "netload's ring";
inline constexpr const char* kReactorEpoll = "netload's epoll";

/// Its parts. Each opens what it needs and leaves nothing behind.
Findings probe_uring();
Findings probe_epoll();
Findings probe_zero_copy();
Findings probe_busy_polling();
Findings probe_datagrams();
/// What takes privileges is tried in a child with a network namespace of its own.
Findings probe_xdp();
/// Libraries that take the place of the kernel's stack, each loaded in a child.
Findings probe_stacks();
Findings probe_limits();
/// The processors and what calls and wake-ups cost.
Findings probe_costs();
/// Touches 4 MiB.
Findings probe_huge_pages();
/// What takes microseconds to find out; `host` of every result has it too.
Findings probe_machine();

/// The findings of probe_machine(), a line each.
std::vector<std::string> machine_evidence();

}  // namespace wiremark::probe
