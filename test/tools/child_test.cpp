// A netload that is asked to end when it has hardly started.
#include "netload-mpi/child.h"

#include <doctest/doctest.h>
#include <signal.h>

using namespace wiremark;
using namespace wiremark::tools;

namespace {

// SIGTERM does nothing here, as a handler of netload-mpi does nothing for its netload.
class DeafToTerm {
 public:
  DeafToTerm() {
    before_ = ::signal(SIGTERM, [](int) {});
  }
  ~DeafToTerm() { ::signal(SIGTERM, before_); }
  DeafToTerm(const DeafToTerm&) = delete;
  DeafToTerm& operator=(const DeafToTerm&) = delete;

 private:
  void (*before_)(int) = nullptr;
};

std::string end_of(Child& child) {
  while (!child.ended()) child.listen(kMillisecond);
  return child.end_in_words();
}

}  // namespace

// The request comes before, in or after execve(2), as the scheduler has it.
TEST_CASE("a netload that is asked to end at once ends, and that is no fault of its own") {
  const DeafToTerm deaf;
  for (int i = 0; i < 100; ++i) {
    auto child = Child::start({});
    REQUIRE(child.has_value());
    child->stop();
    REQUIRE(end_of(*child).empty());
  }
}

TEST_CASE("a netload that ends by itself says how") {
  auto child = Child::start({"5"});
  REQUIRE(child.has_value());
  CHECK(end_of(*child) == "netload ended with 5");
}
