// The end of every run: the result gets its frame and its warnings and goes where the user wants
// it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/cpus.h"
#include "net/reactor.h"
#include "options.h"
#include "reactor_options.h"
#include "report/result.h"
#include "report/study.h"

namespace wiremark::tools {

/// A result with tool, version, arguments, start and machine filled in.
report::RunResult new_result(const std::string& tool, const std::vector<std::string>& arguments,
                             std::chrono::system_clock::time_point started);

/// Adds the options of the reactor and its sockets to the configuration that is printed.
void add_config(report::RunResult& result, const BackendOptions& options);

/// The path that the bytes took, with what the reactor counted as evidence.
report::Path path_of(net::Backend requested, net::Backend active,
                     const std::vector<std::string>& description, const net::ReactorStats& stats,
                     std::uint64_t messages);

/// A live line, on standard output unless the result in JSON goes there.
void print_interval(const report::Interval& interval, const OutputOptions& options);

/// Passes the verdict on a run that has just ended, and delivers the result.
Result<> report(report::RunResult& result, const OutputOptions& options);

/// Writes the result as asked: text or JSON on standard output, JSON and CSV to files, warnings on
/// standard error where the text is not shown.
Result<> deliver(const report::RunResult& result, const OutputOptions& options);

/// Writes a study as asked: text or JSON on standard output, JSON to a file.
Result<> deliver(const report::Comparison& study, const OutputOptions& options);
Result<> deliver(const report::MaxRate& study, const OutputOptions& options);
Result<> deliver(const report::Bypass& study, const OutputOptions& options);

/// Writes the latency of `result` as a percentile distribution, where that was asked for.
Result<> write_distribution(const report::RunResult& result, const LatencyOptions& options);

/// Replaces what `file` holds with `text`.
Result<> write_file(const std::string& file, const std::string& text);

/// Says on standard error what stopped the tool; the exit code for it.
int cannot(const std::string& tool, const Error& error);

}  // namespace wiremark::tools
