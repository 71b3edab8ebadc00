// What a folder holds.
#include "base/folder.h"

#include <dirent.h>

#include <memory>

#include "base/number.h"

namespace wiremark {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& error) {
  std::vector<std::filesystem::path> entries;
  std::filesystem::directory_iterator entry(folder, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    entries.push_back(entry->path());
    entry.increment(error);
  }
  return entries;
}

std::optional<std::vector<int>> numbers_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) return std::nullopt;
  std::vector<int> numbers;
  while (const dirent* const entry = ::readdir(open.get())) {
    if (const auto number = to_number<int>(entry->d_name)) numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace wiremark
