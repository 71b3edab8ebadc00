// What a folder holds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace wiremark {

/// The paths of its entries, as far as it could be read; `error` says what came in the way. A loop
/// over a directory_iterator throws instead where a folder ends while it is read, as those of
/// processes do.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& error);

/// Those of its names that are numbers, as the folders of /proc have for processes, threads and
/// descriptors. None where it cannot be opened.
std::optional<std::vector<int>> numbers_in(const std::string& folder);

}  // namespace wiremark
