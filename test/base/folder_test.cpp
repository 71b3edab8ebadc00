// What a folder holds, and that one which cannot be read throws nothing.
#include "base/folder.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace wiremark {

TEST_CASE("a folder has its entries, and one that is not there an error") {
  const std::string own = std::to_string(::getpid());
  std::error_code error;
  const auto tasks = entries_of("/proc/self/task", error);
  CHECK_FALSE(error);
  CHECK(std::ranges::count(tasks, std::filesystem::path("/proc/self/task/" + own)) == 1);
  CHECK(entries_of("/proc/self/no such folder", error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK(entries_of("/proc/self/stat", error).empty());
  CHECK(error == std::errc::not_a_directory);
}

TEST_CASE("of the names in a folder those that are numbers are told") {
  const auto processes = numbers_in("/proc");  // It has files such as "stat", too.
  REQUIRE(processes);
  CHECK(std::ranges::count(*processes, ::getpid()) == 1);
  CHECK(std::ranges::none_of(*processes, [](int pid) { return pid <= 0; }));
  CHECK(numbers_in("/proc/self/ns")->empty());
  CHECK_FALSE(numbers_in("/proc/self/no such folder"));
}

}  // namespace wiremark
