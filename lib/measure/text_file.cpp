// Small text files of /proc and /sys, read whole and taken apart word by word.
#include "measure/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "base/fd.h"

namespace wiremark::measure {

namespace {
constexpr std::string_view kBlanks = " \t\n";
}

Result<std::string> read_text(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return failed("open", path);
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path);
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

std::string_view take_word(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> take_number(std::string_view& text) noexcept {
  const std::string_view word = take_word(text);
  const char* const word_end = word.data() + word.size();
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(word.data(), word_end, number);
  if (status != std::errc{} || end != word_end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) noexcept {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  return take_number(text);
}

std::uint64_t growth(std::uint64_t later, std::uint64_t earlier) noexcept {
  return later - std::min(later, earlier);
}

}  // namespace wiremark::measure
