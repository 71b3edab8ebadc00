// Results as rows of one CSV file.
#include "report/csv.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

#include "base/fd.h"
#include "report/csv_fields.h"
#include "report/result_fields.h"

namespace wiremark::report {

namespace {

// RFC 4180, rules 5 to 7.
std::string quoted_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char character : text) {
    if (character == '"') cell += '"';
    cell += character;
  }
  return cell + '"';
}

// A file of another version has other columns, and a row would stand under the wrong names.
Result<> require_header(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (line + "\n" == csv_header()) return {};
  return failed(path + " has other columns than this version: name a new file", {}, 0);
}

}  // namespace

std::string csv_header() {
  std::string line;
  columns_of<RunResult>(nullptr, kTable<RunResult>.entries, "",
                        [&](const std::string& name, const std::string&) {
                          line += (line.empty() ? "" : ",") + name;
                        });
  return line + "\n";
}

std::string csv_row(const RunResult& result) {
  std::string line;
  const char* separator = "";
  columns_of(&result, kTable<RunResult>.entries, "",
             [&](const std::string&, const std::string& cell) {
               line += separator + quoted_cell(cell);
               separator = ",";
             });
  return line + "\n";
}

Result<> append_csv(const std::string& path, const RunResult& result) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return failed("open", path);
  // A pipe or terminal cannot be locked and needs no lock; closing gives the lock back.
  ::flock(file.get(), LOCK_EX);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return failed("fstat", path);
  if (status.st_size > 0) {
    if (auto same = require_header(path); !same) return same;
  }
  const std::string text = (status.st_size == 0 ? csv_header() : std::string()) + csv_row(result);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write", path);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace wiremark::report
