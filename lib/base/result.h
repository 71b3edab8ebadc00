// A value, or the operation that failed and its errno. Stable.
#pragma once

#include <cerrno>
#include <expected>
#include <string>
#include <utility>

namespace wiremark {

/// What went wrong: the operation as its man page names it, errno (0 where the failure has none),
/// and what it was done to.
struct Error {
  std::string operation;
  int code = 0;
  std::string detail;

  /// "bind 127.0.0.1:7007: Address already in use".
  std::string message() const;
};

template <class T = void>
using Result = std::expected<T, Error>;

/// The error of the system call that just failed; reads errno unless a code is given.
inline std::unexpected<Error> failed(std::string operation, std::string detail = {},
                                     int code = errno) {
  return std::unexpected(Error{std::move(operation), code, std::move(detail)});
}

}  // namespace wiremark
