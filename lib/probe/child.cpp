// Trials that must not change this process: they run in a child, and what they found comes back.
#include "probe/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/end_with_parent.h"
#include "base/fd.h"

namespace wiremark::probe {

namespace {

constexpr char kFieldEnd = '\x1f';
constexpr char kFindingEnd = '\x1e';
constexpr unsigned kSecondsAtMost = 3;

std::string write_findings(const Findings& findings) {
  std::string text;
  for (const Finding& one : findings) {
    text += one.group + kFieldEnd + one.what + kFieldEnd +
            static_cast<char>('0' + static_cast<int>(one.answer)) + kFieldEnd + one.evidence +
            kFieldEnd + one.change + kFieldEnd + kFindingEnd;
  }
  return text;
}

std::string cut_field(std::string_view& text) {
  const std::size_t end = text.find(kFieldEnd);
  const std::string field(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return field;
}

Findings read_findings(std::string_view text) {
  Findings findings;
  for (std::size_t end; (end = text.find(kFindingEnd)) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    std::string_view rest = text.substr(0, end);
    Finding one;
    one.group = cut_field(rest);
    one.what = cut_field(rest);
    const std::string answer = cut_field(rest);
    one.answer = static_cast<Answer>(answer.empty() ? '0' : answer[0] - '0');
    one.evidence = cut_field(rest);
    one.change = cut_field(rest);
    findings.push_back(std::move(one));
  }
  return findings;
}

// Libraries that are loaded in it may print.
[[noreturn]] void run(const std::function<Findings()>& trials, const Fd& into, pid_t parent) {
  end_with_parent(parent);
  ::alarm(kSecondsAtMost);
  if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  const std::string text = write_findings(trials());
  const ssize_t written = ::write(into.get(), text.data(), text.size());
  ::_exit(written == static_cast<ssize_t>(text.size()) ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace

Findings in_child(const std::function<Findings()>& trials) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return {};
  const Fd from(ends[0]);
  Fd into(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) run(trials, into, parent);
  into = Fd();
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t got = ::read(from.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return read_findings(text);
}

}  // namespace wiremark::probe
