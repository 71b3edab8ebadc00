// A file written beside its name and then renamed to it.
#include "base/replace_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/fd.h"

namespace wiremark {

namespace {

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

}  // namespace

Result<> replace_file(const std::string& file, std::string_view text) {
  const std::string partial = file + "." + random_name();
  constexpr int kAnew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd out(::open(partial.c_str(), kAnew, 0666));
  if (!out) return failed("write", file);
  auto written = write_all(out.get(), text, file);
  if (::close(out.release()) != 0 && written) written = failed("write", file);
  if (written && ::rename(partial.c_str(), file.c_str()) != 0) written = failed("write", file);
  if (!written) ::unlink(partial.c_str());
  return written;
}

}  // namespace wiremark
