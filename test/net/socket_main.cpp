// Runs the tests on real sockets for the backend named first, without those of the other one; 77
// where that backend cannot run here.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "net/reactor.h"

int main(int argc, char** argv) {
  using namespace wiremark::net;
  doctest::Context context(argc, argv);
  const std::string name = argc > 1 ? argv[1] : "";
  const auto backend = parse_backend(name);
  if (backend) {
    if (const auto choice = choose_backend(*backend); !choice) {
      std::printf("skipped: %s\n", choice.error().message().c_str());
      return 77;
    }
    context.addFilter("test-case-exclude", *backend == Backend::epoll ? "*<uring>" : "*<epoll>");
  }
  return context.run();
}
