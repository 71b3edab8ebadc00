// A child process that does not outlive its parent.
#include "base/end_with_parent.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

namespace wiremark {
namespace {

constexpr int kPatienceMs = 10'000;

// A parent and its child, which stands still.
class Family {
 public:
  Family() {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    from_child_ = Fd(ends[0]);
    const Fd child_has(ends[1]);  // As long as it lives.
    parent_ = ::fork();
    REQUIRE(parent_ >= 0);
    if (parent_ == 0) {
      const pid_t self = ::getpid();
      if (::fork() == 0) {
        end_with_parent(self);
        const pid_t own = ::getpid();
        [[maybe_unused]] const auto told = ::write(child_has.get(), &own, sizeof own);
        ::raise(SIGSTOP);
      }
      ::close(child_has.get());
      for (;;) ::pause();
    }
  }
  ~Family() {
    if (parent_ > 0) kill_parent();
    if (child_ > 0 && !child_ends()) ::kill(child_, SIGKILL);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  void await_child() { REQUIRE(::read(from_child_.get(), &child_, sizeof child_) > 0); }

  void kill_parent() {
    ::kill(parent_, SIGKILL);
    ::waitpid(parent_, nullptr, 0);
    parent_ = -1;
  }

  bool child_ends(int patience_ms = 0) const {
    pollfd end{.fd = from_child_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&end, 1, patience_ms) == 1;
  }

 private:
  pid_t parent_ = -1;
  pid_t child_ = -1;
  Fd from_child_;
};

TEST_CASE("a child is killed when its parent is") {
  Family family;
  family.await_child();
  CHECK(!family.child_ends());
  family.kill_parent();
  CHECK(family.child_ends(kPatienceMs));
}

TEST_CASE("a child whose parent has ended already exits") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    end_with_parent(::getpid());  // Another parent than this one has.
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}

}  // namespace
}  // namespace wiremark
