// By which number the kernel's lists name a socket.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdint>

#include "base/fd.h"

inline std::uint64_t inode_of(const wiremark::Fd& fd) {
  struct stat file{};
  REQUIRE(::fstat(fd.get(), &file) == 0);
  return file.st_ino;
}
