// Whose processes are found behind an address, by each way that the kernel tells it.
#include "netload/find_server.h"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

// From here on this thread cannot ask sock_diag(7), as with a kernel that is built without it.
bool deny_netlink() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

Fd listen_at(const net::Address& address) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(fd.get(), address.data(), address.size()) == 0);
  REQUIRE(::listen(fd.get(), 8) == 0);
  return fd;
}

}  // namespace

TEST_CASE("a server is found by its socket, with sock_diag(7) and without") {
  const Fd here = listen_at(*net::Address::parse("127.0.0.1:0"));
  const auto address = *net::Address::of_socket(here.get());
  const auto beside = *net::Address::parse("127.0.0.2:" + std::to_string(address.port()));
  const std::string path = "/tmp/find_server." + std::to_string(::getpid());
  const auto on_path = *net::Address::parse("unix:" + path);
  const Fd at_path = listen_at(on_path);
  const auto look = [&] {
    CHECK(find_server(on_path).pids == std::vector<pid_t>{::getpid()});
    CHECK(find_server(address).pids == std::vector<pid_t>{::getpid()});
    CHECK(find_server(beside).unknown.starts_with("no socket of this network namespace listens"));
  };
  look();
  bool denied = false;
  std::thread([&] {
    denied = deny_netlink() && ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0) < 0;
    look();
  }).join();
  CHECK(denied);
  ::unlink(path.c_str());
}
