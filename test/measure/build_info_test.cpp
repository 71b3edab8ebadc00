// A build says how it was made, and whether that slows it down.
#include "measure/build_info.h"

#include <doctest/doctest.h>

#include <vector>

using namespace wiremark::measure;

namespace {

BuildInfo release() {
  BuildInfo build;
  build.compiler = "g++ 12.2.0";
  build.optimization = "3";
  build.instructions = "x86-64";
  return build;
}

}  // namespace

TEST_CASE("a release is not slowed by anything") {
  CHECK(build_flags(release()) == "-O3 -DNDEBUG -march=x86-64");
  CHECK(slowed_by(release()).empty());
}

TEST_CASE("what makes it faster is told and is no reason for doubt") {
  BuildInfo build = release();
  build.instructions = "x86-64-v4";
  build.link_time = true;
  build.profile = "use";
  build.arguments = "-mtune=native";
  CHECK(build_flags(build) == "-O3 -DNDEBUG -march=x86-64-v4 -flto -fprofile-use -mtune=native");
  CHECK(slowed_by(build).empty());
}

TEST_CASE("everything that slows it down is a reason") {
  BuildInfo build = release();
  build.optimization = "1";
  build.asserts = true;
  build.library_asserts = true;
  build.coverage = true;
  build.sanitizers = "address,undefined";
  CHECK(build_flags(build) ==
        "-O1 -D_GLIBCXX_ASSERTIONS -march=x86-64 --coverage "
        "-fsanitize=address,undefined");
  CHECK(slowed_by(build) == std::vector<std::string>{"compiled with -O1", "assertions are checked",
                                                     "the standard library checks itself",
                                                     "its branches are counted",
                                                     "sanitizers run: address,undefined"});
}

TEST_CASE("this program knows how it was built") {
  const BuildInfo build = build_info();
  CHECK_FALSE(build.compiler.empty());
#ifdef NDEBUG
  CHECK_FALSE(build.asserts);
#else
  CHECK(build.asserts);
#endif
#ifdef _GLIBCXX_ASSERTIONS
  CHECK(build.library_asserts);
#else
  CHECK_FALSE(build.library_asserts);
#endif
  // The test itself is not optimized, whatever the library is.
  CHECK_FALSE(build.optimization.empty());
#ifdef __SANITIZE_ADDRESS__
  CHECK(build.sanitizers.find("address") != std::string::npos);
#endif
}
