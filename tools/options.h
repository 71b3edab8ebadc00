// Flags shared by the tools, and how a command line is read.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark::tools {

enum ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kCannot = 3,  ///< This machine or the target cannot; the message names the fix.
  kTooManyErrors = 4,
  kInterrupted = 130,
};

/// Where results go, besides the text on standard output.
struct OutputOptions {
  std::string json;         ///< "-" is standard output, in place of the text; empty is none.
  std::string csv;          ///< A row is appended to this file; empty is none.
  bool json_lines = false;  ///< Intervals and the result as one JSON object a line.
  bool quiet = false;
  std::string colour = "never";   ///< "auto", "always" or "never"; see terminal.h.
  std::string progress = "auto";  ///< "auto", "on" or "off".
};

/// What is made of the latency histogram, besides.
struct LatencyOptions {
  std::vector<double> percentiles;  ///< To print, rising; empty: those of measure::kPercentiles.
  std::string hgrm;                 ///< Percentile distribution as HdrHistogram prints it.
  std::string hdr_log;              ///< Interval log of HdrHistogram.
};

/// The threads of a tool that runs loops.
struct ThreadOptions {
  unsigned threads = 1;
  std::vector<int> cpus;  ///< Empty: not pinned.
};

/// When the tool ends, and how often it tells how it goes; 0 is never.
struct TimeOptions {
  Nanoseconds duration = 0;
  Nanoseconds interval = 0;
};

/// A command line of one tool: `about` is the first line of its help, `examples` stand at its end.
class CommandLine {
 public:
  CommandLine(std::string name, std::string about, std::string examples);

  CLI::App& app() noexcept { return app_; }
  const std::string& name() const noexcept { return name_; }
  const std::vector<std::string>& arguments() const noexcept { return arguments_; }

  /// An option whose text goes through one of our parsers; what that refuses is a usage error.
  template <class T, class Parse>
  CLI::Option* add(const std::string& flags, T& into, const std::string& type, Parse parse_text,
                   const std::string& help) {
    const auto read = [&into, parse_text,
                       name = flags.substr(flags.find("--"))](const std::string& text) {
      auto value = parse_text(text);
      if (!value) throw CLI::ValidationError(name, value.error().message());
      into = std::move(*value);
    };
    return app_.add_option_function<std::string>(flags, read, help)->type_name(type);
  }

  void add(OutputOptions& options);
  /// The flags of a tool that prints one result text: --color.
  void add_colour(OutputOptions& options);
  /// The flags of a tool that prints intervals: --json-lines. After add(OutputOptions).
  void add_lines(OutputOptions& options);
  void add_progress(OutputOptions& options);
  void add(LatencyOptions& options);
  void add(ThreadOptions& options);
  void add(TimeOptions& options, const std::string& duration_help);

  /// Reads the arguments. A value is the exit code of a run that is over: help, version or
  /// completion were printed, or the line is wrong and standard error says why.
  std::optional<int> parse(int argc, char** argv);

 private:
  CLI::App app_;
  std::string name_;
  std::vector<std::string> arguments_;
  std::string completion_;
  bool version_ = false;
};

/// "netload 0.1.0 (g++ 12.2.0, liburing 2.3, Linux 6.1.0)".
std::string version_line(const std::string& tool);

/// Refuses what is no address, as a usage error; names are not resolved yet.
CLI::Validator address_form();

/// Rising percentiles of a list such as 50,99,99.99, each over 0 and up to 100.
Result<std::vector<double>> parse_percentiles(const std::string& list);

/// A whole number of at least `least` as users write it, such as 10k.
Result<unsigned> parse_whole(const std::string& text, unsigned least);

}  // namespace wiremark::tools
