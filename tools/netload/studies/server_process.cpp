// The server at the other end: one we start, or the process behind a listening address.
#include "netload/studies/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "base/fd.h"

namespace wiremark::tools {

namespace fs = std::filesystem;

namespace {

constexpr auto kReadyWait = std::chrono::seconds(10);
constexpr auto kReadyPause = std::chrono::milliseconds(5);

pid_t spawn(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // A stopped child ignores SIGTERM.
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, 0);  // Or Ctrl-C in a terminal ended both, and the load counted errors.
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

// The inode of the socket that listens on `port`, from a table such as /proc/net/tcp (proc(5)); 0
// if none. One of UDP is in the state that a closed one of TCP has.
std::uint64_t listening_inode(const std::string& table, std::uint16_t port) {
  const char* const kListening = table.starts_with("udp") ? "07" : "0A";
  std::ifstream file("/proc/net/" + table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout;
    std::uint64_t inode = 0;
    fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >>
        timeout >> inode;
    const auto colon = local.rfind(':');
    if (state != kListening || colon == std::string::npos) continue;
    if (std::strtoul(local.c_str() + colon + 1, nullptr, 16) == port) return inode;
  }
  return 0;
}

bool holds(const fs::path& process, const std::string& socket) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fd", ignored)) {
    if (fs::read_symlink(entry.path(), ignored) == socket) return true;
  }
  return false;
}

std::optional<pid_t> peer_of(const net::Address& address) {
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!probe || ::connect(probe.get(), address.data(), address.size()) != 0) return std::nullopt;
  if (::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.pid;
}

}  // namespace

Result<ServerProcess> ServerProcess::start(const std::vector<std::string>& arguments,
                                           Listen listen) {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return failed("readlink", "/proc/self/exe (netecho is looked for beside it: mount /proc)",
                  error.value());
  const fs::path program = own.parent_path() / "netecho";
  if (!fs::exists(program, error))
    return failed("netecho", "is not beside this program: " + program.string(), 0);
  std::string folder = (fs::temp_directory_path(error) / "netload-XXXXXX").string();
  if (!::mkdtemp(folder.data())) return failed("mkdtemp", folder);
  ServerProcess server(folder);
  const std::string ready_file = folder + "/ready";

  std::vector<std::string> all = {
      listen == Listen::tcp ? "127.0.0.1:0" : "unix:" + folder + "/socket", "--quiet",
      "--port-file", ready_file};
  all.insert(all.end(), arguments.begin(), arguments.end());
  server.pid_ = spawn(program.string(), all);
  if (server.pid_ < 0) return failed("fork");
  std::string where;  // The port or the path.
  const auto until = std::chrono::steady_clock::now() + kReadyWait;
  while (where.empty() && std::chrono::steady_clock::now() < until) {
    if (::waitpid(server.pid_, nullptr, WNOHANG) != 0) {
      server.pid_ = -1;
      break;
    }
    std::this_thread::sleep_for(kReadyPause);
    std::ifstream(ready_file) >> where;
  }
  if (where.empty()) return failed("netecho", "did not start", 0);
  const auto address =
      net::Address::parse((listen == Listen::tcp ? "127.0.0.1:" : "unix:") + where);
  if (!address) return std::unexpected(address.error());
  server.address_ = *address;
  return server;
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      pid_(std::exchange(other.pid_, -1)),
      address_(other.address_) {}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    go_on();
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void ServerProcess::rest() const noexcept { ::kill(pid_, SIGSTOP); }

void ServerProcess::go_on() const noexcept { ::kill(pid_, SIGCONT); }

std::optional<pid_t> find_server(const net::Address& address) {
  if (!address.is_loopback()) return std::nullopt;
  if (address.is_unix()) return peer_of(address);
  const std::string table = address.is_udp() ? "udp" : "tcp";
  std::uint64_t inode = listening_inode(table, address.port());
  if (inode == 0) inode = listening_inode(table + "6", address.port());
  if (inode == 0) return std::nullopt;
  const std::string socket = "socket:[" + std::to_string(inode) + "]";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    if (holds(entry.path(), socket)) return pid;
  }
  return std::nullopt;
}

}  // namespace wiremark::tools
