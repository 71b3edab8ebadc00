// Runs a command of which one system call fails, or one operation of its io_uring: the n-th of its
// kind, with an errno that is given. Exits as the command does, or with 77 where it cannot.
//
//   fail_call --list FILE COMMAND...           writes how often each call is made
//   fail_call FILE CALL ERRNO N COMMAND...     writes to FILE when the N-th CALL failed
//
// N+ is the N-th and all that follow. CALL is a name such as 'accept4', or that of an operation of
// the ring such as 'op:accept'. What the dynamic loader calls does not count, nor do the command's
// children.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calls.h"
#include "ring_fault.h"

using namespace wiremark::faults;

namespace {

constexpr int kUsage = 2;
constexpr int kSkipped = 77;

/// Without a call, all are counted and none fails.
struct Fault {
  std::string call;
  int error = 0;
  std::uint64_t nth = 0;
  bool and_on = false;  // Those that follow fail too.

  bool hits(std::uint64_t count) const { return and_on ? count >= nth : count == nth; }
  bool of_ring() const { return call.starts_with("op:"); }
};

[[noreturn]] void skip(const char* what) {
  perror(what);
  ::_exit(kSkipped);
}

// Numbers of the calls that wait for an answer; none are all. An execve waits until the supervisor
// has what asks it, which that closes.
std::vector<int> watched_by(const Fault& fault) {
  if (fault.call.empty()) return {};
  if (fault.of_ring()) return {SYS_execve, SYS_io_uring_setup, SYS_io_uring_enter};
  return {SYS_execve, number_of(fault.call).value()};
}

// From here on each watched call of this process waits for an answer. Returns the descriptor that
// the questions come from.
int install_filter(const std::vector<int>& watched) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const int number : watched) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  filter.push_back(
      BPF_STMT(BPF_RET | BPF_K, watched.empty() ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

/// What a process behind the filter can tell without a call, which would wait.
struct Shared {
  std::atomic<int> listener{-1};
};

[[noreturn]] void become(char** command, const std::vector<int>& watched, Shared& shared) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int listener = install_filter(watched);
  if (listener < 0) skip("seccomp SECCOMP_FILTER_FLAG_NEW_LISTENER");
  shared.listener = listener;
  ::execvp(command[0], command);
  perror(command[0]);
  ::_exit(127);
}

/// The dynamic loader of a process, so that what it calls can be told apart.
class Loader {
 public:
  explicit Loader(pid_t process) {
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("/ld-linux") == std::string::npos) continue;
      const auto dash = line.find('-');
      if (end_ == 0) begin_ = std::stoull(line, nullptr, 16);
      end_ = std::stoull(line.substr(dash + 1), nullptr, 16);
    }
  }
  bool holds(std::uint64_t address) const { return address >= begin_ && address < end_; }

 private:
  std::uint64_t begin_ = 0, end_ = 0;
};

/// Answers the questions of a command until it has ended.
class Supervisor {
 public:
  Supervisor(const Fault& fault, pid_t command, int pidfd, int listener)
      : fault_(fault),
        ring_fault_{fault.call, fault.error, [&fault](auto count) { return fault.hits(count); }},
        command_(command),
        pidfd_(pidfd),
        listener_(listener),
        rings_(command, pidfd) {
    seccomp_notif_sizes sizes{};
    if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) skip("seccomp");
    request_.resize(std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)));
    response_.resize(std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
  }

  void run() {
    for (;;) {
      pollfd watched[] = {{listener_, POLLIN, 0}, {pidfd_, POLLIN, 0}};
      if (::poll(watched, 2, -1) < 0) continue;  // A signal, which has been passed on.
      if (watched[0].revents & POLLIN)
        answer();
      else if (watched[1].revents != 0)
        return;
    }
  }

  /// What was called how often, or that something failed.
  void write(const std::string& file) const {
    std::ofstream out(file);
    if (failed_) out << "failed\n";
    if (!fault_.call.empty()) return;
    for (const auto& [number, count] : counts_) out << name_of(number) << ' ' << count << '\n';
    for (const auto& [number, count] : rings_.counts())
      out << name_of_operation(number) << ' ' << count << '\n';
  }

 private:
  void answer() {
    std::ranges::fill(request_, std::byte{0});
    std::ranges::fill(response_, std::byte{0});
    auto& request = *new (request_.data()) seccomp_notif{};
    auto& response = *new (response_.data()) seccomp_notif_resp{};
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return;
    response.id = request.id;
    // brk(2) has no errno: it returns the end that stays.
    if (should_fail(request))
      response.error = request.data.nr == SYS_brk ? 0 : -fault_.error;
    else
      response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);
  }

  bool should_fail(const seccomp_notif& request) {
    if (!is_of_command(request)) return false;
    const seccomp_data& call = request.data;
    if (call.nr == SYS_io_uring_setup)
      rings_.set_up(static_cast<unsigned>(call.args[0]), call.args[1]);
    if (call.nr == SYS_io_uring_enter) failed_ |= rings_.enter(ring_fault_);
    const bool hit = fault_.hits(++counts_[call.nr]) && !fault_.call.empty() && !fault_.of_ring();
    failed_ |= hit;
    return hit;
  }

  // The first question is asked by execve itself, before there is a loader, or by the loader.
  bool is_of_command(const seccomp_notif& request) {
    const auto thread = static_cast<pid_t>(request.pid);
    if (request.data.nr == SYS_execve) return false;
    if (thread != command_) {
      const std::string task =
          "/proc/" + std::to_string(command_) + "/task/" + std::to_string(thread);
      if (::access(task.c_str(), F_OK) != 0) return false;
    }
    if (!loader_) loader_.emplace(command_);
    return !loader_->holds(request.data.instruction_pointer);
  }

  const Fault& fault_;
  RingFault ring_fault_;
  pid_t command_;
  int pidfd_, listener_;
  bool failed_ = false;
  std::optional<Loader> loader_;
  std::map<int, std::uint64_t> counts_;
  RingWatch rings_;
  std::vector<std::byte> request_, response_;
};

pid_t command_pid = 0;

int supervise(char** command, const Fault& fault, const std::string& file) {
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) skip("mmap");
  auto& shared = *new (memory) Shared;
  command_pid = ::fork();
  if (command_pid < 0) skip("fork");
  if (command_pid == 0) become(command, watched_by(fault), shared);
  struct sigaction pass_on{};
  pass_on.sa_handler = [](int signal) { ::kill(command_pid, signal); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &pass_on, nullptr);
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, command_pid, 0));
  if (pidfd < 0) skip("pidfd_open");
  int status = 0;
  while (shared.listener < 0) {
    if (::waitpid(command_pid, &status, WNOHANG) > 0) return WEXITSTATUS(status);
    ::usleep(100);
  }
  const int listener =
      static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, shared.listener.load(), 0));
  if (listener < 0) skip("pidfd_getfd");
  Supervisor supervisor(fault, command_pid, pidfd, listener);
  supervisor.run();
  supervisor.write(file);
  while (::waitpid(command_pid, &status, 0) < 0) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  Fault fault;
  if (argc >= 4 && std::string_view(argv[1]) == "--list")
    return supervise(argv + 3, fault, argv[2]);
  const auto error = argc >= 6 ? errno_of(argv[3]) : std::nullopt;
  if (error) {
    char* end = nullptr;
    fault = {argv[2], *error, std::strtoull(argv[4], &end, 10), false};
    fault.and_on = *end == '+';
  }
  if (!error || fault.nth == 0 || (!fault.of_ring() && !number_of(fault.call))) {
    fprintf(stderr,
            "usage: fail_call FILE CALL ERRNO N COMMAND...\n"
            "       fail_call --list FILE COMMAND...\n");
    return kUsage;
  }
  if (fault.of_ring() && !RingWatch::can_fail()) {
    fprintf(stderr, "operations of io_uring can be made to fail from Linux 6.11 on\n");
    return kSkipped;
  }
  return supervise(argv + 5, fault, argv[1]);
}
