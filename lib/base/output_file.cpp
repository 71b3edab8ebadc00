// Files that results are written to: whole, or not at all.
#include "base/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "base/fd.h"

namespace wiremark {

namespace {

constexpr mode_t kMode = 0666;

std::string random_name() {
  std::array<unsigned char, 8> random{};
  [[maybe_unused]] const auto got = ::getrandom(random.data(), random.size(), 0);
  std::string name;
  for (const unsigned char byte : random) {
    constexpr char kDigits[] = "0123456789abcdef";
    name += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return name;
}

Result<> write_all(int fd, std::string_view text, const std::string& file) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("write", file);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

std::unexpected<Error> open_failed(const std::string& file, int error) {
  std::string fix = fix_of_files(error);
  if (error == ENOENT || error == ENOTDIR) fix = "(the folder must be there)";
  if (error == EACCES || error == EROFS)
    fix = "(you must be allowed to write to it and its folder)";
  return failed("open", fix.empty() ? file : file + " " + fix, error);
}

// The file of that name that replaces `file` in the end.
Result<Fd> open_beside(const std::string& partial, const std::string& file) {
  constexpr int kAnew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd out(::open(partial.c_str(), kAnew, kMode));
  if (!out) return open_failed(file, errno);
  return out;
}

struct Standing {
  bool there = false;
  bool is_folder = false;
  bool in_place = false;  // Nothing else may take its name.
  mode_t mode = 0;
};

Standing what_stands_at(const std::string& file) {
  Standing standing{.in_place = file.starts_with("/dev/") || file.starts_with("/proc/")};
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return standing;
  standing.there = true;
  standing.is_folder = S_ISDIR(status.st_mode);
  standing.in_place |= !S_ISREG(status.st_mode);
  standing.mode = status.st_mode & 07777;
  return standing;
}

Result<> write_in_place(const std::string& file, std::string_view text) {
  Fd out(::open(file.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (!out) return open_failed(file, errno);
  return write_all(out.get(), text, file);
}

}  // namespace

Result<> require_writable(const std::string& file) {
  const Standing standing = what_stands_at(file);
  if (standing.is_folder) return failed("open", file, EISDIR);
  // Opened, a pipe would tell its reader that there is a writer, and that it has gone.
  if ((standing.there || standing.in_place) && ::access(file.c_str(), W_OK) != 0)
    return open_failed(file, errno);
  if (standing.in_place) return {};
  const std::string partial = file + "." + random_name();
  const auto out = open_beside(partial, file);
  if (!out) return std::unexpected(out.error());
  ::unlink(partial.c_str());
  return {};
}

Result<> replace_file(const std::string& file, std::string_view text) {
  const Standing standing = what_stands_at(file);
  if (standing.is_folder) return failed("open", file, EISDIR);
  if (standing.in_place) return write_in_place(file, text);
  const std::string partial = file + "." + random_name();
  auto out = open_beside(partial, file);
  if (!out) return std::unexpected(out.error());
  if (standing.there) ::fchmod(out->get(), standing.mode);
  auto written = write_all(out->get(), text, file);
  // Interrupted, it is closed all the same (close(2)).
  if (::close(out->release()) != 0 && errno != EINTR && written) written = failed("close", file);
  if (written && ::rename(partial.c_str(), file.c_str()) != 0) written = failed("rename", file);
  if (!written) ::unlink(partial.c_str());
  return written;
}

Result<> require_header(const std::string& file, std::string_view header) {
  const Standing standing = what_stands_at(file);
  if (!standing.there || standing.in_place) return {};
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line + "\n" == header) return {};
  return failed(file + " has other columns than this version: name a new file", {}, 0);
}

Result<> append_rows(const std::string& file, std::string_view header, std::string_view rows) {
  const Fd out(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode));
  if (!out) return open_failed(file, errno);
  // A pipe or terminal cannot be locked and needs no lock; closing gives the lock back.
  while (::flock(out.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat status{};
  if (::fstat(out.get(), &status) != 0) return failed("fstat", file);
  if (auto same = require_header(file, header); !same) return same;
  std::string text(status.st_size == 0 ? header : std::string_view());
  text += rows;
  auto written = write_all(out.get(), text, file);
  if (!written) [[maybe_unused]]
    const int as_it_was = ::ftruncate(out.get(), status.st_size);
  return written;
}

}  // namespace wiremark
