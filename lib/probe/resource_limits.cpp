// The limits that a load of many connections meets, as the kernel grants them when asked.
#include "probe/resource_limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/cpus.h"
#include "base/fd.h"
#include "measure/available_memory.h"
#include "measure/quantity.h"
#include "measure/text_file.h"
#include "probe/finding.h"
#include "probe/loopback.h"

namespace wiremark::probe {

namespace {

constexpr int kBacklogAsked = 65'535;

// Of a listening socket TCP_INFO says the backlog in the place of another count (tcp(7)).
std::uint64_t granted_backlog() {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd || ::listen(fd.get(), kBacklogAsked) < 0) return 0;
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(fd.get(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_sacked : 0;
}

std::uint64_t local_ports() {
  const auto text = measure::read_text("/proc/sys/net/ipv4/ip_local_port_range");
  std::string_view range = text ? std::string_view(*text) : std::string_view();
  const auto first = measure::take_number(range);
  const auto last = measure::take_number(range);
  return first && last && *last >= *first ? *last - *first + 1 : 0;
}

bool pass(const Fd& from, const Fd& to) {
  std::array<char, 64> bytes{};
  return ::send(from.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0 &&
         ::recv(to.get(), bytes.data(), bytes.size(), MSG_WAITALL) > 0;
}

// The fastest of some batches in one thread, without a wake-up. 0 where it cannot be tried.
Nanoseconds time_message() {
  constexpr int kBatches = 10;
  constexpr int kMessages = 100;
  const auto pair = connect_streams();
  if (!pair) return 0;
  Nanoseconds fastest = kSecond;
  for (int batch = 0; batch < kBatches; ++batch) {
    const Nanoseconds start = now_ns();
    for (int i = 0; i < kMessages; ++i) {
      if (!pass(pair->client, pair->server) || !pass(pair->server, pair->client)) return 0;
    }
    fastest = std::min(fastest, now_ns() - start);
  }
  return fastest / kMessages;
}

Finding raise_descriptors() {
  constexpr const char* kWhat = "10,000 open files";
  constexpr rlim_t kWanted = 10'000;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  const Fd events(::eventfd(0, EFD_CLOEXEC));
  const bool raised = ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
  // A limit is granted when the last descriptor below it can be had (F_DUPFD of fcntl(2)).
  const rlim_t granted = raised ? limit.rlim_cur : before.rlim_cur;
  const Fd last(::fcntl(events.get(), F_DUPFD_CLOEXEC, static_cast<int>(kWanted) - 1));
  const bool had = static_cast<bool>(last);
  ::setrlimit(RLIMIT_NOFILE, &before);
  return {kLimitsGroup, kWhat, had ? Answer::yes : Answer::no,
          fmt::format("soft limit {}, raised to {}", measure::format_count(before.rlim_cur),
                      granted == RLIM_INFINITY ? "no limit" : measure::format_count(granted)),
          had ? "" : "ulimit -Hn 1048576 as root, or LimitNOFILE= of the service"};
}

Finding lock_memory() {
  constexpr const char* kWhat = "16 MiB of locked memory";
  constexpr std::size_t kLocked = 16 << 20;
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::string bound = limit.rlim_cur == RLIM_INFINITY
                                ? "no limit"
                                : measure::format_size(static_cast<double>(limit.rlim_cur));
  void* memory =
      ::mmap(nullptr, kLocked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return {kLimitsGroup, kWhat, Answer::untried, failure("mmap", errno), ""};
  // The call itself: a sanitizer's mlock() answers without asking the kernel.
  const int error = ::syscall(SYS_mlock, memory, kLocked) < 0 ? errno : 0;
  ::munmap(memory, kLocked);
  return {
      kLimitsGroup, kWhat, error == 0 ? Answer::yes : Answer::no,
      (error == 0 ? std::string("mlock gave them") : failure("mlock", error)) + "; limit " + bound,
      error == 0 ? "" : "ulimit -l unlimited, or docker --ulimit memlock=-1"};
}

Finding ask_backlog(std::uint64_t granted) {
  constexpr std::uint64_t kBurst = 1024;
  if (granted == 0)
    return {kLimitsGroup, "backlog of 1,024", Answer::untried, failure("listen", errno), ""};
  return {kLimitsGroup, "backlog of 1,024", granted >= kBurst ? Answer::yes : Answer::no,
          fmt::format("listen(65535) was given {}", measure::format_count(granted)),
          granted >= kBurst ? "" : "sysctl -w net.core.somaxconn=4096"};
}

Finding count_ports(std::uint64_t ports) {
  constexpr std::uint64_t kUsual = 28'232;
  return {kLimitsGroup, "local ports", ports >= kUsual ? Answer::yes : Answer::no,
          fmt::format("{} for each source and destination", measure::format_count(ports)),
          ports >= kUsual ? "" : "sysctl -w net.ipv4.ip_local_port_range='32768 60999'"};
}

Finding find_filter() {
  const auto text = measure::read_text("/proc/self/status");
  const auto mode = text ? measure::number_behind(*text, "\nSeccomp:") : std::nullopt;
  if (!mode)
    return {kLimitsGroup, "no seccomp filter", Answer::untried, "/proc/self/status has none", ""};
  return {kLimitsGroup, "no seccomp filter", *mode == 0 ? Answer::yes : Answer::no,
          fmt::format("mode {} in /proc/self/status", *mode),
          *mode == 0 ? "" : "docker --security-opt seccomp=unconfined"};
}

}  // namespace

Limits find_limits() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  return {.descriptors = files.rlim_max,
          .backlog = granted_backlog(),
          .ports = local_ports(),
          .memory_bytes = measure::available_memory(),
          .cores = static_cast<unsigned>(allowed_cpus().size()),
          .message_ns = time_message()};
}

Findings probe_limits() {
  return {raise_descriptors(), lock_memory(), ask_backlog(granted_backlog()),
          count_ports(local_ports()), find_filter()};
}

}  // namespace wiremark::probe
