// A child process that does not outlive its parent.
#pragma once

#include <sys/types.h>

namespace wiremark {

/// Called in the child of a fork(2): the kernel kills it (SIGKILL, so also one that stands still)
/// when the thread that called fork ends, however that ends. `parent` is what getpid(2) returned
/// before the fork. Exits with 1 where the parent has ended already. It lasts through execve(2),
/// but for a program that gets capabilities or another user by it (prctl(2)).
void end_with_parent(pid_t parent);

}  // namespace wiremark
