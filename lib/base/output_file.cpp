// Files that results are written to: whole, or not at all.
#include "base/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

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

std::string folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  return folder.empty() ? std::string(".") : folder.string();
}

// Links there lead to open files, by no name that readlink(2) could give.
bool is_in_proc(const std::string& file) {
  struct stat folder{}, proc{};
  return ::stat(folder_of(file).c_str(), &folder) == 0 && ::stat("/proc/self", &proc) == 0 &&
         folder.st_dev == proc.st_dev;
}

// Why a link is not followed; empty where it is.
std::string why_not_followed(const std::string& link, const struct stat& status) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return link + " is a link of another user (name the file that it leads to)";
  struct stat folder{};
  if (::stat(folder_of(link).c_str(), &folder) == 0 && (folder.st_mode & S_ISVTX) == 0) return {};
  return link +
         " is a link in a folder where anybody may have planted it (name the file that it leads "
         "to)";
}

// The file that is written in the end: what a link leads to, or that name itself.
Result<std::string> written_for(const std::string& file, Links links) {
  constexpr int kLinksMax = 40;  // As many as open(2) follows.
  std::string name = file;
  for (int followed = 0; followed < kLinksMax; ++followed) {
    struct stat status{};
    if (is_in_proc(name) || ::lstat(name.c_str(), &status) != 0 || !S_ISLNK(status.st_mode))
      return name;
    std::error_code error;
    const auto target = std::filesystem::read_symlink(name, error);
    if (error) return open_failed(file, error.value());
    const std::string next = std::filesystem::path(folder_of(name)) / target;
    // Nobody means /dev/stdout to become a file, whatever the mode of /dev.
    const bool is_root_to_proc = status.st_uid == 0 && is_in_proc(next);
    if (!is_root_to_proc) {
      if (links == Links::replaced) return name;
      if (std::string reason = why_not_followed(name, status); !reason.empty())
        return failed(std::move(reason), {}, 0);
    }
    name = next;
  }
  return open_failed(file, ELOOP);
}

struct Standing {
  bool there = false;  // Not where it is a link, whose place the file takes.
  bool is_folder = false;
  bool in_place = false;  // Nothing else may take its name.
  mode_t mode = 0;
};

Standing what_stands_at(const std::string& file) {
  Standing standing{.in_place = is_in_proc(file)};
  struct stat status{};
  const int looked =
      standing.in_place ? ::stat(file.c_str(), &status) : ::lstat(file.c_str(), &status);
  if (looked != 0 || S_ISLNK(status.st_mode)) return standing;
  standing.there = true;
  standing.is_folder = S_ISDIR(status.st_mode);
  standing.in_place |= !S_ISREG(status.st_mode);
  standing.mode = status.st_mode & 07777;
  return standing;
}

std::optional<FileIdentity> identity_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, {}};
}

Result<> write_in_place(const std::string& file, std::string_view text) {
  Fd out(::open(file.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (!out) return open_failed(file, errno);
  return write_all(out.get(), text, file);
}

}  // namespace

Result<> require_writable(const std::string& name, Links links) {
  const auto written = written_for(name, links);
  if (!written) return std::unexpected(written.error());
  const std::string& file = *written;
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

Result<> replace_file(const std::string& name, std::string_view text, Links links) {
  const auto target = written_for(name, links);
  if (!target) return std::unexpected(target.error());
  const std::string& file = *target;
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
  const auto target = written_for(file, Links::followed);
  if (!target) return std::unexpected(target.error());
  const Standing standing = what_stands_at(*target);
  if (!standing.there || standing.in_place) return {};
  std::ifstream in(*target);
  std::string line;
  if (!std::getline(in, line) || line + "\n" == header) return {};
  return failed(file + " has other columns than this version: name a new file", {}, 0);
}

Result<> append_rows(const std::string& file, std::string_view header, std::string_view rows) {
  const auto target = written_for(file, Links::followed);
  if (!target) return std::unexpected(target.error());
  const Fd out(::open(target->c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode));
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

std::optional<FileIdentity> identity_of(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0) return identity_of(status);
  const auto written = written_for(file, Links::followed);
  if (!written || ::stat(folder_of(*written).c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino,
                      std::filesystem::path(*written).filename().string()};
}

bool leads_to_open_file(const std::string& file) {
  const auto written = written_for(file, Links::followed);
  return written && is_in_proc(*written);
}

std::optional<FileIdentity> identity_of(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return identity_of(status);
}

}  // namespace wiremark
