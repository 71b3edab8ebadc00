// Standard output and standard error, which may be closed, full, or a pipe that nobody reads.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/printable.h"
#include "base/result.h"

namespace wiremark::tools {

/// Occupies the numbers of closed standard streams, so that no socket gets one and output is not
/// sent to a peer. Printing to a closed standard output stays an error.
void hold_standard_streams();

/// Prints to standard output, at once. After a failure nothing more is printed.
void write_out(std::string_view text);
/// The error of standard output, if there was one.
Result<> printed();

/// Prints to standard error. Failures to write it are ignored.
void write_err(std::string_view text);

/// A text made printable(); any other value as it is.
template <class T>
decltype(auto) as_printable(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return printable(value);
  else
    return (value);
}

/// Prints to standard error, on as many lines as `form` has: texts among the values may come from
/// anywhere.
template <class... T>
void print_err(fmt::format_string<decltype(as_printable(std::declval<const T&>()))...> form,
               const T&... values) {
  write_err(fmt::format(form, as_printable(values)...));
}

/// From now on, when memory runs out, the tool says so and ends with kCannot.
void end_without_memory(const std::string& tool);

/// The exit code: `code`, or kCannot with a message if standard output could not be written.
int ending(const std::string& tool, int code);

}  // namespace wiremark::tools
