// What a folder holds.
#include "base/folder.h"

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

}  // namespace wiremark
