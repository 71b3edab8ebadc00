// A child process that does not outlive its parent.
#include "base/end_with_parent.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace wiremark {

void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

}  // namespace wiremark
