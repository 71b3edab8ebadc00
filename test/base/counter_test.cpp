// A count of one thread is what others go by; that they may is for the thread sanitizer to say.
#include "base/counter.h"

#include <doctest/doctest.h>

#include <thread>

using namespace wiremark;

TEST_CASE("who sees a count that was published sees what was done before") {
  Counter count;
  int done = 0;
  std::thread writer([&] {
    done = 7;
    count.publish();
  });
  while (count.get() == 0) std::this_thread::yield();
  CHECK(done == 7);
  writer.join();
  CHECK(count.get() == 1);
}
