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

TEST_CASE("a link is followed to the file that a result belongs in") {
  const Folder folder;
  const fs::path target = folder.path / "target", link = folder.path / "link";
  fs::create_directory(folder.path / "links");
  fs::create_symlink("../target", folder.path / "links" / "relative");
  fs::create_symlink(folder.path / "links" / "relative", link);
  const std::string text = "a result";
  for (const std::string old : {"", "an older one"}) {
    CAPTURE(old);
    if (!old.empty()) REQUIRE(replace_file(target, old));
    CHECK(require_writable(link));
    REQUIRE(replace_file(link, text));
    CHECK(content(target) == text);
    CHECK(fs::is_symlink(link));
    CHECK(folder.files() == 3);
  }
  fs::remove(target);
  REQUIRE(append_rows(link, "a\n", "1\n"));
  CHECK_FALSE(append_rows(link, "b\n", "2\n"));
  CHECK(content(target) == "a\n1\n");
}

TEST_CASE("a port file takes the place of a link, and what that leads to stays") {
  const Folder folder;
  const fs::path precious = folder.path / "precious", file = folder.path / "port";
  REQUIRE(replace_file(precious, "mine"));
  for (const char* planted : {"port", "port.partial", "port.tmp"})
    fs::create_symlink(precious, folder.path / planted);
  CHECK(require_writable(file, Links::replaced));
  CHECK(fs::is_symlink(file));
  REQUIRE(replace_file(file, "7007\n", Links::replaced));
  CHECK(content(precious) == "mine");
  CHECK(content(file) == "7007\n");
  CHECK_FALSE(fs::is_symlink(file));
}

TEST_CASE("a link that somebody may have planted is not followed") {
  const Folder folder;
  const fs::path precious = folder.path / "precious", link = folder.path / "link";
  REQUIRE(replace_file(precious, "mine"));
  fs::create_symlink(precious, link);
  const auto refused = [&](const std::string& reason) {
    for (const auto& done : {require_writable(link), replace_file(link, "theirs"),
                             append_rows(link, "a\n", "1\n"), require_header(link, "a\n")}) {
      REQUIRE_FALSE(done);
      CHECK(done.error().message() == link.string() + reason + " (name the file that it leads to)");
    }
    CHECK(content(precious) == "mine");
    CHECK(fs::is_symlink(link));
    CHECK(folder.files() == 2);
  };
  fs::permissions(folder.path, fs::perms::sticky_bit, fs::perm_options::add);
  refused(" is a link in a folder where anybody may have planted it");
  fs::permissions(folder.path, fs::perms::sticky_bit, fs::perm_options::remove);
  constexpr uid_t kSomebody = 65534;
  if (::lchown(link.c_str(), kSomebody, kSomebody) == 0)
    refused(" is a link of another user");
  else
    MESSAGE("not as root: a link of another user was not tried");
}

TEST_CASE("links that lead nowhere, or in a ring, say so") {
  const Folder folder;
  fs::create_symlink("ring", folder.path / "ring");
  fs::create_symlink("none/file", folder.path / "nowhere");
  for (const auto& [name, code] : {std::pair("ring", ELOOP), {"nowhere", ENOENT}}) {
    CAPTURE(name);
    const std::string file = folder.path / name;
    for (const auto& done : {require_writable(file), replace_file(file, "text")}) {
      REQUIRE_FALSE(done);
      CHECK(done.error().code == code);
    }
    CHECK_FALSE(identity_of(file));
  }
  CHECK(folder.files() == 2);
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
  const std::string descriptor = std::to_string(writer.get());
  fs::create_symlink("/proc/self/fd/" + descriptor, folder.path / "link");
  // As a /dev that is no more than a tmpfs has it.
  if (::geteuid() == 0) fs::permissions(folder.path, fs::perms::sticky_bit, fs::perm_options::add);
  for (const std::string& name :
       {pipe.string(), "/dev/fd/" + descriptor, "//dev/../dev/./fd/" + descriptor,
        (folder.path / "link").string()}) {
    for (const Links links : {Links::followed, Links::replaced}) {
      if (links == Links::replaced && ::geteuid() != 0 && name.ends_with("link")) continue;
      CAPTURE(name);
      CHECK(require_writable(name, links));
      REQUIRE(replace_file(name, "text", links));
      char got[16];
      CHECK(::read(reader.get(), got, sizeof got) == 4);
    }
  }
  CHECK(folder.files() == 2);
}

TEST_CASE("an open file is written to as it is, and its name stays a link") {
  const Folder folder;
  const fs::path file = folder.path / "file";
  const Fd out(::open(file.c_str(), O_WRONLY | O_CREAT, 0600));
  const std::string name = "//proc/self/fd/" + std::to_string(out.get());
  REQUIRE(replace_file(name, "one"));
  REQUIRE(replace_file(name, "two"));
  CHECK(content(file) == "onetwo");
  CHECK(identity_of(name) == identity_of(file));
  CHECK(identity_of(out.get()) == identity_of(file));
  CHECK(leads_to_open_file(name));
  CHECK(leads_to_open_file("/dev/stdout"));
  for (const std::string& other : {file.string(), std::string("/dev/null"), std::string("none")})
    CHECK_FALSE(leads_to_open_file(other));
}

TEST_CASE("a file is the same by each name, whether it is there or not") {
  const Folder folder, other;
  const std::string inner = folder.path / "inner";
  fs::create_directory(inner);
  const std::string file = folder.path / "file", link = inner + "/link";
  fs::create_symlink(file, link);
  const std::string spellings[] = {link, inner + "/../file", inner + "/.././/file"};
  for (const bool there : {false, true}) {
    CAPTURE(there);
    if (there) REQUIRE(replace_file(file, "text"));
    const auto identity = identity_of(file);
    REQUIRE(identity);
    for (const std::string& spelling : spellings) CHECK(identity_of(spelling) == identity);
    CHECK(identity_of(folder.path / "other") != identity);
    CHECK(identity_of(other.path / "file") != identity);
  }
  fs::create_hard_link(file, other.path / "file");
  CHECK(identity_of(other.path / "file") == identity_of(file));
  for (const std::string& none : {inner, std::string("/dev/null")}) CHECK_FALSE(identity_of(none));
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
