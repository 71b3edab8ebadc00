// How a command line is read, and what it prints itself: help, version, completion.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "exit_code.h"

// CLI11 takes long to compile, so only command_line.cpp and completion.cpp include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace wiremark::tools {

// What several tools take: options.h.
struct FamilyOptions;
struct LatencyOptions;
struct OutputOptions;
struct ThreadOptions;
struct TimeOptions;

/// The name of a file that means standard output.
constexpr const char* kStandardOutput = "-";

/// An option of a command line, to which conditions can be added. Breaking one is a usage error.
class Option {
 public:
  /// Refuses a text for which `form` returns an error.
  Option check(std::function<Result<>(const std::string&)> form) const;
  /// Refused without `other`.
  Option needs(Option other) const;
  /// Refused together with `other`.
  Option excludes(Option other) const;
  /// If it is given several times, its texts become one list with commas.
  Option join() const;

 private:
  friend class CommandLine;
  explicit Option(CLI::Option* option) : option_(option) {}

  CLI::Option* option_;
};

/// A command line of one tool: `about` is the first line of its help, `examples` stand at its end.
class CommandLine {
 public:
  CommandLine(std::string name, std::string about, std::string examples);
  ~CommandLine();

  const std::string& name() const noexcept { return name_; }
  const std::vector<std::string>& arguments() const noexcept { return arguments_; }

  /// An option whose text is read by `parse_text`; what that refuses is a usage error.
  template <class T, class Parse>
  Option add(const std::string& flags, T& into, const std::string& type, Parse parse_text,
             const std::string& help) {
    const auto read = [&into, parse_text](const std::string& text) -> Result<> {
      auto value = parse_text(text);
      if (!value) return std::unexpected(value.error());
      into = std::move(*value);
      return {};
    };
    return add_read(flags, read, type, help);
  }

  Option add_flag(const std::string& flags, bool& into, const std::string& help);
  /// A flag that asks for the default.
  Option add_default_flag(const std::string& flags, const std::string& help);
  Option add_text(const std::string& flags, std::string& into, const std::string& type,
                  const std::string& help);
  /// May be given several times, each with one text.
  Option add_texts(const std::string& flags, std::vector<std::string>& into,
                   const std::string& type, const std::string& help);
  /// The name of a file that exists.
  Option add_input_file(const std::string& flags, std::string& into, const std::string& help);
  /// The name of a file that will be written. One that cannot be is refused, before any work, and
  /// so is one that another option names too, or that is read.
  Option add_output_file(const std::string& flags, std::string& into, const std::string& help,
                         Links links = Links::followed);
  /// The same, or standard output where the flag stands alone.
  Option add_output(const std::string& flags, std::string& into, const std::string& help);
  /// One of `words`, which the help lists.
  Option add_choice(const std::string& flags, std::string& into, const std::string& type,
                    std::vector<std::string> words, const std::string& help);
  /// Some of `words`, with commas between them.
  Option add_words(const std::string& flags, std::vector<std::string>& into,
                   std::vector<std::string> words, const std::string& help);
  /// What stands on the line without a flag.
  Option add_operand(const std::string& name, std::string& into, const std::string& help);
  Option add_operands(const std::string& name, std::vector<std::string>& into,
                      const std::string& help);
  /// The files that the texts of `option` name are read.
  void reads(Option option);
  /// Those of its texts that begin with @ name a file that is read.
  void reads_behind_at(Option option);
  /// An option that was added, by one of its flags.
  Option option(const std::string& flag) const;
  /// Whether the command line had it.
  bool given(const std::string& flag) const;
  /// Calls `consistent` when all options are read. There is one such check, and its error is a
  /// usage error.
  void check(std::function<Result<>()> consistent);

  /// `csv_headers` makes the first lines that the tool's CSV may have. It is called where a CSV is
  /// asked for, since it takes longer than to read a command line.
  void add(OutputOptions& options, std::function<std::vector<std::string>()> csv_headers);
  /// The flag of a tool whose result is a page too: --html.
  void add_html(OutputOptions& options);
  /// The flags of a tool that prints one result text: --color.
  void add_colour(OutputOptions& options);
  /// The flags of a tool that prints intervals: --json-lines. After add(OutputOptions).
  void add_lines(OutputOptions& options);
  void add_progress(OutputOptions& options);
  void add(FamilyOptions& options);
  void add(LatencyOptions& options);
  void add(ThreadOptions& options);
  void add(TimeOptions& options, const std::string& duration_help);

  /// Reads the arguments. A value is the exit code with which the tool ends: help, version or
  /// completion were printed, or the line is wrong and standard error says why.
  std::optional<int> parse(int argc, char** argv);

 private:
  using Reading = std::function<Result<>(const std::string&)>;

  Option add_read(const std::string& flags, Reading read, const std::string& type,
                  const std::string& help);
  Result<> require_files_apart() const;

  std::unique_ptr<CLI::App> app_;
  std::string name_;
  std::vector<std::string> arguments_;
  std::vector<CLI::Option*> inputs_;
  std::vector<CLI::Option*> inputs_behind_at_;
  std::vector<CLI::Option*> outputs_;
  std::string completion_;
  bool version_ = false;
};

}  // namespace wiremark::tools
