// Servers of this process on Unix paths: which of them a path leads to, and who is connected.
#include "measure/path_connections.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/fd.h"
#include "inode.h"
#include "net/address.h"

using namespace wiremark;
using namespace wiremark::measure;

namespace {

class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(name_.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(name_); }
  std::string path(const char* file) const { return name_ + "/" + file; }

 private:
  std::string name_ = "/tmp/path_connections.XXXXXX";
};

Fd path_socket(const std::string& path, int (*call)(int, const sockaddr*, socklen_t)) {
  const auto address = net::Address::parse("unix:" + path).value();
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(call(fd.get(), address.data(), address.size()) == 0);
  return fd;
}

Fd listen_on(const std::string& path) {
  Fd fd = path_socket(path, &::bind);
  REQUIRE(::listen(fd.get(), 8) == 0);
  return fd;
}

std::vector<std::uint64_t> inodes_at(const std::string& path) {
  const auto listeners = listeners_at(path).value();
  std::vector<std::uint64_t> inodes;
  for (const Listener& one : listeners) inodes.push_back(one.inode);
  return inodes;
}

}  // namespace

TEST_CASE("a path leads to the socket whose file is there, and to no other of that name") {
  const Folder folder;
  const std::string path = folder.path("socket"), link = folder.path("link");
  CHECK(inodes_at(path).empty());
  const Fd earlier = listen_on(path);
  REQUIRE(::unlink(path.c_str()) == 0);
  const Fd server = listen_on(path);
  REQUIRE(::symlink(path.c_str(), link.c_str()) == 0);
  CHECK(inodes_at(path) == std::vector{inode_of(server)});
  CHECK(inodes_at(link) == std::vector{inode_of(server)});
  REQUIRE(::unlink(path.c_str()) == 0);
  CHECK(inodes_at(path).empty());
}

TEST_CASE("whose a connection to a path is, and which socket of the server it has") {
  const Folder folder;
  const std::string path = folder.path("socket");
  const Fd server = listen_on(path);
  const Fd other_server = listen_on(folder.path("other"));
  Fd early = path_socket(path, &::connect);
  const std::set<std::uint64_t> earlier = sockets_of_this_process();
  const auto seen = [&] { return connections_at(path, earlier).value(); };
  // Sockets of this process that are not of this load are nobody else's either.
  CHECK(seen().empty());
  const Fd ours = path_socket(path, &::connect);
  REQUIRE(seen().size() == 1);
  CHECK(seen().front().client == Client::ours);
  CHECK(seen().front().socket.inode == 0);

  const Fd end_of_early(::accept(server.get(), nullptr, nullptr));
  const Fd end_of_ours(::accept(server.get(), nullptr, nullptr));
  REQUIRE(end_of_ours);
  REQUIRE(seen().size() == 1);
  CHECK(seen().front().socket.inode == inode_of(end_of_ours));

  early = Fd();
  REQUIRE(seen().size() == 2);
  const auto is_gone = [](const ServerEnd& end) { return end.client == Client::gone; };
  CHECK(std::ranges::count_if(seen(), is_gone) == 1);
}
