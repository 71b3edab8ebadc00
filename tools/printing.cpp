// Standard output and standard error, which may be closed, full, or a pipe that nobody reads.
#include "printing.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <new>

#include "exit_code.h"

namespace wiremark::tools {

namespace {

int output_error = 0;
std::string without_memory;  // Made in advance, while there is memory.

// Returns errno, 0 when all of `text` is written. Unbuffered: nothing is left to write at exit.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // Another program has set O_NONBLOCK on the terminal.
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // open(2) takes the lowest free number, which is `fd`. Opened for reading, output still fails.
    if (::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0) return;
  }
}

void write_out(std::string_view text) {
  if (output_error == 0) output_error = write_all(STDOUT_FILENO, text);
}

Result<> printed() {
  if (output_error != 0) return failed("write standard output", {}, output_error);
  return {};
}

void write_err(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

void end_without_memory(const std::string& tool) {
  without_memory = tool + ": out of memory: ask for fewer connections, messages or threads\n";
  std::set_new_handler([] {
    write_err(without_memory);
    ::_exit(kCannot);
  });
}

int ending(const std::string& tool, int code) {
  const auto done = printed();
  if (done) return code;
  print_err("{}: {}\n", tool, done.error().message());
  return kCannot;
}

}  // namespace wiremark::tools
