// Files that results are written to: whole, or not at all.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wiremark {

/// What becomes of a symbolic link that has the name of an output file.
enum class Links : std::uint8_t {
  /// What it leads to is written, if it is the user's own or root's. One of another user is an
  /// error, and so is one in a sticky folder such as /tmp, where anybody may have planted it.
  followed,
  /// The file takes its place.
  replaced,
};

/// Whether replace_file() and append_rows() may write `file`: asked before the work whose result it
/// will hold. Leaves everything as it is. Errors: those of open(2), with what to do; a link that is
/// not followed.
Result<> require_writable(const std::string& file, Links links = Links::followed);

/// Makes `file` one that holds `text`: a reader sees all of it, or what was there before. What is
/// written first has a name in the same folder that nobody can know before, and is made anew, so
/// that a file or link planted there is neither followed nor overwritten. A pipe or a device, and
/// what stands in /proc, where /dev/stdout leads, is written to as it is.
/// Errors: those of open(2), write(2), close(2) and rename(2), and nothing is left behind; a link
/// that is not followed.
Result<> replace_file(const std::string& file, std::string_view text,
                      Links links = Links::followed);

/// Whether append_rows() would find in `file` nothing, or that header.
Result<> require_header(const std::string& file, std::string_view header);

/// Appends `rows`, under `header` where the file is new. Rows of several processes stay whole.
/// Links are followed. Errors: those of open(2) and write(2), and the file is what it was; it has
/// another header; a link that is not followed.
Result<> append_rows(const std::string& file, std::string_view header, std::string_view rows);

/// Which regular file a name stands for, however it is spelled and whatever links lead there.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;   ///< Of the file, or of the folder that it will be in.
  std::string name;  ///< In that folder; empty where the file is there.

  bool operator==(const FileIdentity&) const = default;
};

/// None for what is no regular file, such as a pipe or a terminal, and what cannot be looked at.
std::optional<FileIdentity> identity_of(const std::string& file);
/// The same of an open file.
std::optional<FileIdentity> identity_of(int descriptor);

/// Whether a name leads to a file that a process has open, as /dev/stdout does. More is written to
/// its end, and takes nothing away.
bool leads_to_open_file(const std::string& file);

}  // namespace wiremark
