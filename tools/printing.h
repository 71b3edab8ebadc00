// Standard output and standard error, which may be closed, full, or a pipe that nobody reads.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace wiremark::tools {

/// Gives closed standard streams their numbers back, before a socket gets one and what is printed
/// goes to a peer. Output that was closed stays an error to print to.
void hold_standard_streams();

/// Prints to standard output, at once. After a failure nothing more is printed.
void write_out(std::string_view text);
/// What went wrong with standard output, as long as there is something to tell.
Result<> printed();

/// Prints to standard error. Failures to write it are ignored.
void write_err(std::string_view text);

template <class... T>
void print_out(fmt::format_string<T...> form, T&&... values) {
  write_out(fmt::format(form, std::forward<T>(values)...));
}

template <class... T>
void print_err(fmt::format_string<T...> form, T&&... values) {
  write_err(fmt::format(form, std::forward<T>(values)...));
}

/// From now on a tool that gets no more memory says so and ends with kCannot.
void end_without_memory(const std::string& tool);

/// The exit code of a tool that would end with `code`: what could not be printed is lost.
int ending(const std::string& tool, int code);

}  // namespace wiremark::tools
