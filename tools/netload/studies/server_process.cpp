// A netecho of our own at the other end.
#include "netload/studies/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/cpus.h"
#include "base/end_with_parent.h"
#include "base/fd.h"
#include "beside.h"
#include "netload/studies/veth_pair.h"

namespace wiremark::tools {

namespace fs = std::filesystem;

namespace {

constexpr auto kReadyWait = std::chrono::seconds(10);

// Where a netecho that we start finds the pipe that takes its port or path.
constexpr int kReadyFd = 3;
// And the memory in which its loops count.
constexpr int kGapsFd = 4;

// What comes through the pipe that netecho has as kReadyFd. Errors: it ended before, or is too
// slow.
Result<std::string> await_ready(int pipe) {
  pollfd readable{.fd = pipe, .events = POLLIN, .revents = 0};
  const auto until = std::chrono::steady_clock::now() + kReadyWait;
  std::string text;
  while (!text.ends_with('\n')) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return failed("netecho", "did not start", ETIMEDOUT);
    const int ready = ::poll(&readable, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return failed("poll", "the netecho that was started");
    if (ready <= 0) continue;
    char part[256];
    const ssize_t got = ::read(pipe, part, sizeof part);
    if (got == 0) return failed("netecho", "did not start", 0);
    if (got < 0 && errno != EINTR) return failed("read", "the port of netecho");
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
  }
  text.pop_back();
  return text;
}

// In the child: `from` becomes `to`, and stays open in what is started.
void hand_over(int from, int to) {
  if (from == to)
    ::fcntl(from, F_SETFD, 0);
  else
    ::dup2(from, to);
}

pid_t spawn(const std::string& program, const std::vector<std::string>& arguments, int ready,
            int gaps) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  end_with_parent(parent);
  ::setpgid(0, 0);  // Or Ctrl-C in a terminal ended both, and the load counted errors.
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  // Neither may lie where the other goes.
  const int above = ::fcntl(gaps, F_DUPFD, kGapsFd + 1);
  hand_over(ready, kReadyFd);
  hand_over(above, kGapsFd);
  ::close(above);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

// It waits, buffers and is pinned as the options say.
std::vector<std::string> arguments_of(const LoadOptions& options, net::Backend backend) {
  const net::ReactorOptions& reactor = options.backend.reactor;
  const net::SocketOptions& socket = options.backend.socket;
  std::vector<std::string> arguments = {
      "--backend",     std::string(net::to_string(backend)),
      "--format",      load::name_of(options.exchange),
      "--max-frame",   std::to_string(options.exchange.max_frame),
      "--wait",        reactor.wait.to_string(),
      "--buffers",     std::to_string(reactor.buffers),
      "--buffer-size", std::to_string(reactor.buffer_size),
      "--read-size",   std::to_string(reactor.read_size),
  };
  const auto add = [&arguments](const char* flag, const std::string& value) {
    arguments.insert(arguments.end(), {flag, value});
  };
  if (backend != net::Backend::epoll && reactor.uring.any())
    add("--uring", reactor.uring.to_string());
  if (!reactor.udp_offload) add("--udp-offload", "off");
  if (socket.send_buffer > 0) add("--sndbuf", std::to_string(socket.send_buffer));
  if (socket.receive_buffer > 0) add("--rcvbuf", std::to_string(socket.receive_buffer));
  if (options.backend.realtime) arguments.emplace_back("--realtime");
  if (!options.server_cpus.empty()) add("--cpus", format_cpus(options.server_cpus));
  return arguments;
}

}  // namespace

Result<ServerProcess> ServerProcess::start(const LoadOptions& options, net::Backend backend,
                                           Listen listen) {
  const auto program = beside_this_program("netecho");
  if (!program) return std::unexpected(program.error());
  std::string folder;
  if (listen == Listen::unix_path) {
    std::error_code error;
    folder = (fs::temp_directory_path(error) / "netload-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return failed("mkdtemp", folder);
  }
  ServerProcess server(folder);
  auto gaps = SharedGaps::make();
  if (!gaps) return std::unexpected(gaps.error());
  server.gaps_ = std::make_shared<const SharedGaps>(std::move(*gaps));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("pipe2", fix_of_files(errno));
  const Fd ready(ends[0]);
  Fd told(ends[1]);
  // In front of the port that it takes, or of the path.
  const std::string front = listen == Listen::tcp    ? "127.0.0.1:"
                            : listen == Listen::veth ? std::string("udp:") + VethPair::kServer + ":"
                                                     : "unix:";
  std::vector<std::string> all = {front + (listen == Listen::unix_path ? folder + "/socket" : "0"),
                                  "--quiet",
                                  "--port-file",
                                  "/proc/self/fd/" + std::to_string(kReadyFd),
                                  "--gaps-fd",
                                  std::to_string(kGapsFd)};
  const std::vector<std::string> arguments = arguments_of(options, backend);
  all.insert(all.end(), arguments.begin(), arguments.end());
  server.pid_ = spawn(*program, all, told.get(), server.gaps_->fd());
  if (server.pid_ < 0) return failed("fork");
  told = Fd();                                  // So that its end is the end of the pipe.
  const auto where = await_ready(ready.get());  // The port or the path.
  if (!where) return std::unexpected(where.error());
  const auto address = net::Address::parse(front + *where);
  if (!address) return std::unexpected(address.error());
  server.address_ = *address;
  return server;
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      pid_(std::exchange(other.pid_, -1)),
      address_(other.address_),
      gaps_(std::move(other.gaps_)) {}

ServerProcess::~ServerProcess() {
  // One that cannot be told to end is ended by the kernel, after us.
  if (pid_ > 0 && ::kill(pid_, SIGTERM) == 0 && ::kill(pid_, SIGCONT) == 0) {
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void ServerProcess::pause() const noexcept { ::kill(pid_, SIGSTOP); }

void ServerProcess::go_on() const noexcept { ::kill(pid_, SIGCONT); }

}  // namespace wiremark::tools
