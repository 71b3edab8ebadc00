// The netload of a rank.
#include "netload-mpi/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/end_with_parent.h"
#include "beside.h"

namespace wiremark::tools {

namespace {

// Where the netload finds its end of the socket.
constexpr int kStartFd = 3;

// Adds what can be read at once; at the end the descriptor is closed.
void read_into(Fd& fd, std::string& text) {
  char part[65'536];
  const ssize_t got = ::read(fd.get(), part, sizeof part);
  if (got > 0) text.append(part, static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) fd = Fd();
}

// Called with SIGTERM blocked. The netload has the mask `signals`, so it takes what came since.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         pid_t parent, int start, int out, int err, const sigset_t& signals) {
  ::signal(SIGTERM, SIG_DFL);
  end_with_parent(parent);
  ::setpgid(0, 0);  // mpirun signals whole groups, and a netload ends at once at a second signal.
  // All three lie above the places where they go.
  const int places[] = {::fcntl(start, F_DUPFD, 10), ::fcntl(out, F_DUPFD, 10),
                        ::fcntl(err, F_DUPFD, 10)};
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(places[1], STDOUT_FILENO);
  ::dup2(places[2], STDERR_FILENO);
  ::dup2(places[0], kStartFd);
  for (const int place : places) ::close(place);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

Result<Child> Child::start(std::vector<std::string> arguments) {
  const auto program = beside_this_program("netload");
  if (!program) return std::unexpected(program.error());
  arguments.insert(arguments.begin(), *program);
  arguments.insert(arguments.end(), {"--start-fd", std::to_string(kStartFd)});
  int start[2], out[2], err[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, start) != 0)
    return failed("socketpair", fix_of_files(errno));
  Fd ours(start[0]), theirs(start[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return failed("pipe2", fix_of_files(errno));
  Fd out_ours(out[0]), out_theirs(out[1]);
  if (::pipe2(err, O_CLOEXEC) != 0) return failed("pipe2", fix_of_files(errno));
  Fd err_ours(err[0]), err_theirs(err[1]);
  Child child;
  const pid_t parent = ::getpid();
  // The fork has our handler of SIGTERM, which would take a stop() that comes before execv(3).
  sigset_t to_end, signals;
  ::sigemptyset(&to_end);
  ::sigaddset(&to_end, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &to_end, &signals);
  child.pid_ = ::fork();
  if (child.pid_ == 0)
    become(*program, arguments, parent, theirs.get(), out_theirs.get(), err_theirs.get(), signals);
  ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  if (child.pid_ < 0) return failed("fork");
  child.start_ = std::move(ours);
  child.out_ = std::move(out_ours);
  child.err_ = std::move(err_ours);
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      start_(std::move(other.start_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)) {}

Child::~Child() {
  if (pid_ <= 0 || status_) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::listen(Nanoseconds patience) {
  // A closed descriptor is -1, which poll(2) leaves alone.
  pollfd ends[] = {{.fd = start_.get(), .events = POLLIN, .revents = 0},
                   {.fd = out_.get(), .events = POLLIN, .revents = 0},
                   {.fd = err_.get(), .events = POLLIN, .revents = 0}};
  if (::poll(ends, 3, static_cast<int>(patience / kMillisecond)) > 0) {
    if (ends[0].revents != 0) read_into(start_, told_);
    if (ends[1].revents != 0) read_into(out_, said_);
    if (ends[2].revents != 0) read_into(err_, complained_);
  }
  int status = 0;
  if (!status_ && !out_ && !err_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
}

std::optional<std::string> Child::take_line() {
  auto line = first_line(said_);
  if (!line && status_) said_.clear();  // It was ended in the middle of a line.
  return line;
}

std::optional<std::string> Child::first_line(std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

std::string Child::end_in_words() const {
  if (status_ && WIFSIGNALED(*status_)) {
    const int number = WTERMSIG(*status_);
    if (stopping_ && number == SIGTERM) return {};  // It had not come to its own handler.
    return fmt::format("netload was ended by signal {} ({})", number, ::strsignal(number));
  }
  std::string text = complained_;
  while (text.ends_with('\n')) text.pop_back();
  if (!text.empty()) return text;
  return fmt::format("netload ended with {}", status_ ? WEXITSTATUS(*status_) : -1);
}

void Child::start_at(double seconds) const {
  // One that has ended says so itself.
  const std::string line = fmt::format("{:.9f}\n", seconds);
  [[maybe_unused]] const ssize_t sent =
      ::send(start_.get(), line.data(), line.size(), MSG_NOSIGNAL);
}

void Child::stop() {
  if (!std::exchange(stopping_, true) && !status_) ::kill(pid_, SIGTERM);
}

}  // namespace wiremark::tools
