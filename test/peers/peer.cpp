// What every peer shares: its command line, its listeners and its end.
#include "peers/peer.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace peer {

namespace {

constexpr int kBacklog = 4096;
constexpr unsigned kThreadsMax = 64;

struct Options {
  std::string port_file;
  unsigned threads = 1;
};

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr, "usage: %s --port-file FILE [--threads N]\n", program);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i], value = argv[i + 1];
    if (name == "--port-file") {
      options.port_file = value;
    } else if (name == "--threads") {
      const auto end = value.data() + value.size();
      const auto read = std::from_chars(value.data(), end, options.threads);
      if (read.ec != std::errc{} || read.ptr != end) usage(argv[0]);
    } else {
      usage(argv[0]);
    }
  }
  if (argc % 2 == 0 || options.port_file.empty()) usage(argv[0]);
  if (options.threads < 1 || options.threads > kThreadsMax) usage(argv[0]);
  return options;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit");
}

/// Binds to `port` of 127.0.0.1 and, when that is 0, stores the port that the kernel chose.
int listen_on(in_port_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) fail("SO_REUSEPORT");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) fail("bind");
  if (::listen(fd, kBacklog) != 0) fail("listen");
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail("getsockname");
  port = ntohs(address.sin_port);
  return fd;
}

/// Renamed when whole, so that a reader sees all or nothing.
void write_port(const std::string& file, in_port_t port) {
  const std::string partial = file + ".partial";
  std::ofstream out(partial);
  out << port << '\n';
  out.close();
  if (!out || ::rename(partial.c_str(), file.c_str()) != 0) fail(file.c_str());
}

}  // namespace

void fail(const char* what) {
  std::fprintf(stderr, "peer: %s: %s\n", what, std::strerror(errno));
  std::_Exit(3);
}

void set_no_delay(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void run(int argc, char** argv, const std::string& library, Serve serve) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::puts(library.c_str());
    std::exit(0);
  }
  const Options options = parse(argc, argv);
  ::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  in_port_t port = 0;
  std::vector<int> listeners;
  for (unsigned i = 0; i < options.threads; ++i) listeners.push_back(listen_on(port));
  write_port(options.port_file, port);
  for (unsigned i = 1; i < options.threads; ++i) std::thread(serve, listeners[i]).detach();
  serve(listeners[0]);
  fail("the loop ended");
}

}  // namespace peer
