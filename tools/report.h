// The end of every run: the result gets its verdict and warnings and goes where the user wants it.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "base/cpus.h"
#include "measure/processor_wait.h"
#include "net/reactor.h"
#include "options.h"
#include "reactor_options.h"
#include "report/document.h"
#include "report/printable.h"

namespace wiremark::tools {

/// A result with tool, version, arguments, start and machine filled in.
report::RunResult new_result(const std::string& tool, const std::vector<std::string>& arguments,
                             std::chrono::system_clock::time_point started);

/// How threads had no processor, and which cgroup stopped them longest between two samples.
report::ProcessorWait wait_of(const measure::RunDelay& delay,
                              const std::vector<measure::Throttling>& later,
                              const std::vector<measure::Throttling>& earlier);

/// Adds the options of the reactor and its sockets to the configuration in the result.
void add_config(report::RunResult& result, const BackendOptions& options);

/// The path that the bytes took, with counts of the reactor as evidence.
report::Path path_of(net::Backend requested, net::Backend active,
                     const std::vector<std::string>& description, const net::ReactorStats& stats,
                     std::uint64_t messages);

/// Prints a live line, on standard output unless the JSON result goes there.
void print_interval(const report::Interval& interval, const OutputOptions& options);

/// Judges a run that has just ended, and delivers the result.
Result<> report(report::RunResult& result, const OutputOptions& options);

/// Whether an option such as --json names a file.
bool is_file(const std::string& output);

/// Whether standard output has the text, and not a document or a page in place of it.
bool shows_text(const OutputOptions& options);

/// The warnings of a run on standard error, where its text is not shown.
void print_doubts(const report::Document& document, const OutputOptions& options);

/// What came of writing several outputs, as one: all that failed. A list is made from its first
/// element to its last, so one that fails keeps no other from being written.
Result<> together(std::initializer_list<Result<>> written);

/// Writes a document that has been made printable, or its text: deliver() does both.
Result<> write_as_asked(const report::Document& document, const std::string& text,
                        const OutputOptions& options);

/// Writes a document as asked, with all in it printable: its text, which `text_of` makes of it,
/// JSON or a page on standard output, and JSON, CSV and a page to files. Errors: a page of a
/// document that has none.
template <class T>
Result<> deliver(const T& document, const OutputOptions& options, auto&& text_of) {
  report::Document printable = document;
  report::make_printable(printable);
  return write_as_asked(printable, text_of(std::get<T>(printable)), options);
}

/// The same of a run, as its text is on this terminal.
Result<> deliver(const report::RunResult& result, const OutputOptions& options);

/// Writes the latency of `result` as a percentile distribution, if asked for.
Result<> write_distribution(const report::RunResult& result, const LatencyOptions& options);

/// Says on standard error what stopped the tool, and returns the exit code for it.
int cannot(const std::string& tool, const Error& error);

}  // namespace wiremark::tools
