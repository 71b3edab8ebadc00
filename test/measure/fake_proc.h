// What the kernel tells of processes and cgroups, written by a test.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace wiremark::measure {

/// A /proc and a hierarchy of cgroups, in a folder that goes with it.
class FakeProc {
 public:
  FakeProc() {
    root_ = (std::filesystem::temp_directory_path() / "proc-XXXXXX").string();
    REQUIRE(::mkdtemp(root_.data()) != nullptr);
  }
  ~FakeProc() { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace wiremark::measure
