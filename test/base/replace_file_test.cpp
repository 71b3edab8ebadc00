// A file is replaced whole, and nothing that was planted beside it is touched.
#include "base/replace_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace wiremark;

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "replace_file_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a file is made, and made anew, and nothing else is left") {
  const Folder folder;
  const std::string file = folder.path / "port";
  for (const std::string text : {"7007\n", "a longer text\n", ""}) {
    REQUIRE(replace_file(file, text));
    CHECK(content(file) == text);
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("a link of the file's name is replaced, and what it points to stays") {
  const Folder folder;
  const fs::path precious = folder.path / "precious", file = folder.path / "port";
  REQUIRE(replace_file(precious, "mine"));
  for (const char* planted : {"port", "port.partial", "port.tmp"})
    fs::create_symlink(precious, folder.path / planted);
  REQUIRE(replace_file(file, "7007\n"));
  CHECK(content(precious) == "mine");
  CHECK(content(file) == "7007\n");
  CHECK_FALSE(fs::is_symlink(file));
}

TEST_CASE("what cannot be written says so and leaves nothing behind") {
  const Folder folder;
  const auto nowhere = replace_file(folder.path / "none" / "port", "7007\n");
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().code == ENOENT);
  fs::create_directory(folder.path / "taken");
  const auto taken = replace_file(folder.path / "taken", "7007\n");
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == EISDIR);
  CHECK(folder.files() == 1);
}
