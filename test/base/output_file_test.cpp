// A file is replaced whole or keeps what it held, and nothing that was planted beside it is
// touched.
#include "base/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/fd.h"

using namespace wiremark;

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "output_file_XXXXXX").string();
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

TEST_CASE("whether a file can be written is found out without a trace") {
  const Folder folder;
  CHECK(require_writable(folder.path / "new"));
  CHECK(folder.files() == 0);
  const fs::path old = folder.path / "old";
  REQUIRE(replace_file(old, "an hour's result"));
  CHECK(require_writable(old));
  CHECK(content(old) == "an hour's result");
  CHECK(require_writable("/dev/stdout"));
  const auto nowhere = require_writable(folder.path / "none" / "new");
  REQUIRE_FALSE(nowhere);
  CHECK(
      nowhere.error().message().ends_with("(the folder must be there): No such file or directory"));
  CHECK_FALSE(require_writable(folder.path));
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that is replaced keeps its mode") {
  const Folder folder;
  const fs::path file = folder.path / "private";
  REQUIRE(replace_file(file, "one"));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  REQUIRE(replace_file(file, "two"));
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a pipe is written to as it is, under its own name and under /dev/fd") {
  const Folder folder;
  const fs::path pipe = folder.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  const Fd writer(::open(pipe.c_str(), O_WRONLY));
  for (const std::string& name : {pipe.string(), "/dev/fd/" + std::to_string(writer.get())}) {
    CAPTURE(name);
    CHECK(require_writable(name));
    REQUIRE(replace_file(name, "text"));
    char got[16];
    CHECK(::read(reader.get(), got, sizeof got) == 4);
  }
  CHECK(folder.files() == 1);
}

TEST_CASE("rows stand under one header, and another header is refused") {
  const Folder folder;
  const fs::path file = folder.path / "rows";
  CHECK(require_header(file, "a,b\n"));
  for (const char* row : {"1,2\n", "3,4\n"}) REQUIRE(append_rows(file, "a,b\n", row));
  CHECK(content(file) == "a,b\n1,2\n3,4\n");
  CHECK(require_header(file, "a,b\n"));
  CHECK_FALSE(require_header(file, "a,b,c\n"));
  CHECK_FALSE(append_rows(file, "a,b,c\n", "5,6,7\n"));
  CHECK(content(file) == "a,b\n1,2\n3,4\n");
}

TEST_CASE("what there is no room for leaves a file as it was") {
  const Folder folder;
  const fs::path file = folder.path / "rows";
  REQUIRE(append_rows(file, "a\n", "1\n"));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{.rlim_cur = 6, .rlim_max = before.rlim_max};
  const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto appended = append_rows(file, "a\n", "a long row\n");
  const auto replaced = replace_file(file, "a long text");
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  ::signal(SIGXFSZ, ignored);
  CHECK_FALSE(appended);
  CHECK_FALSE(replaced);
  CHECK(content(file) == "a\n1\n");
  CHECK(folder.files() == 1);
}
