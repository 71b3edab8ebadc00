// Flags shared by the tools, and how a command line is read.
#include "options.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/cpus.h"
#include "base/list.h"
#include "base/units.h"
#include "completion.h"
#include "net/address.h"
#include "net/reactor.h"
#include "printing.h"

namespace wiremark::tools {

namespace {

constexpr std::size_t kHelpColumns = 100;
constexpr std::size_t kHelpIndent = 36;

// CLI11 breaks no lines before 2.5.
class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_desc(option);
    for (std::size_t begin = 0; text.size() - begin > kHelpColumns - kHelpIndent;) {
      const std::size_t space = text.rfind(' ', begin + kHelpColumns - kHelpIndent);
      if (space == std::string::npos || space <= begin) break;
      text[space] = '\n';
      begin = space + 1;
    }
    return text;
  }
};

// CLI11 2.4 pads the name of an option whose description begins on the next line.
std::string without_trailing_spaces(const std::string& text) {
  std::string clean;
  for (const char c : text) {
    if (c == '\n') clean.erase(clean.find_last_not_of(' ') + 1);
    clean += c;
  }
  return clean;
}

}  // namespace

CommandLine::CommandLine(std::string name, std::string about, std::string examples)
    : app_(std::move(about), name), name_(std::move(name)) {
  app_.footer(
      std::move(examples) +
      "\nTIME takes us, ms, s or m; SIZE and BYTES take k and M of 1,024; N takes k and M.");
  app_.option_defaults()->always_capture_default();
  app_.formatter(std::make_shared<WrappedHelp>());
  app_.get_formatter()->column_width(kHelpIndent);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.add_flag("-V,--version", version_, "Print version, compiler, liburing and kernel, and exit");
  app_.add_option("--completion", completion_,
                  "Print a completion script for bash, zsh or fish, and exit")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void CommandLine::add(OutputOptions& options) {
  app_.add_option("--json", options.json,
                  "Print the result as JSON instead of text, or write it to FILE (--json=FILE)")
      ->type_name("[=FILE]");
  app_.add_option("--csv", options.csv,
                  "Append the result as a row to FILE, with a header when it is new")
      ->type_name("FILE");
  app_.add_flag("-q,--quiet", options.quiet,
                "Print no progress and no notes, only the result and errors");
}

void CommandLine::add_colour(OutputOptions& options) {
  options.colour = "auto";
  app_.add_option("--color", options.colour,
                  "Colour the verdict and failed checks: auto, always or never; auto looks for a "
                  "terminal and NO_COLOR (auto)")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void CommandLine::add_lines(OutputOptions& options) {
  app_.add_flag("--json-lines", options.json_lines,
                "Print each line of figures, and the result last, as one JSON object a line")
      ->excludes(app_.get_option("--json"));
}

void CommandLine::add_progress(OutputOptions& options) {
  app_.add_option(
          "--progress", options.progress,
          "Show on standard error how far it is: auto, on or off; auto looks for a terminal "
          "(auto)")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "on", "off"}));
}

void CommandLine::add(LatencyOptions& options) {
  add("--percentiles", options.percentiles, "LIST", parse_percentiles,
      "Percentiles to print (50,90,99,99.9,99.99)");
  app_.add_option("--hgrm", options.hgrm,
                  "Write the latency to FILE as a percentile distribution of HdrHistogram, in us")
      ->type_name("FILE");
  app_.add_option("--hdr-log", options.hdr_log,
                  "Write the histograms to FILE as an interval log of HdrHistogram, in ns")
      ->type_name("FILE");
}

void CommandLine::add(ThreadOptions& options) {
  add(
      "-t,--threads", options.threads, "N",
      [](const std::string& text) { return parse_whole(text, 1); },
      "Threads, each with a loop of its own (1)");
  add(
      "--cpus", options.cpus, "LIST", [](const std::string& text) { return parse_cpus(text); },
      "Pin thread i to the i-th processor of a list such as 0,2-3 (not pinned)");
}

void CommandLine::add(TimeOptions& options, const std::string& duration_help) {
  const auto time = [](const std::string& text) { return parse_duration(text); };
  add("-d,--duration", options.duration, "TIME", time, duration_help);
  add("-i,--interval", options.interval, "TIME", time, "Print a line of figures every TIME (off)");
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  hold_standard_streams();
  end_without_memory(name_);
  arguments_.assign(argv, argv + argc);
  // A bare --json must not take the argument behind it for its file.
  std::vector<std::string> reversed;
  for (int i = argc; i-- > 1;)
    reversed.emplace_back(std::string(argv[i]) == "--json" ? "--json=-" : argv[i]);
  try {
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    write_out(without_trailing_spaces(app_.help()));
    return ending(name_, kDone);
  } catch (const CLI::ParseError& error) {
    print_err("{}: {}\nTry '{} --help'.\n", name_, error.what(), name_);
    return kUsage;
  }
  if (version_) {
    print_out("{}\n", version_line(name_));
    return ending(name_, kDone);
  }
  if (!completion_.empty()) {
    write_out(completion_script(app_, completion_));
    return ending(name_, kDone);
  }
  return std::nullopt;
}

std::string version_line(const std::string& tool) {
  utsname system{};
  ::uname(&system);
  return fmt::format("{} {} ({}, liburing {}, {} {})", tool, WIREMARK_VERSION, WIREMARK_COMPILER,
                     net::liburing_version(), system.sysname, system.release);
}

CLI::Validator address_form() {
  const auto wrong = [](std::string& text) {
    const auto form = net::Address::check_form(text);
    return form ? std::string() : form.error().message();
  };
  return {wrong, ""};
}

Result<std::vector<double>> parse_percentiles(const std::string& list) {
  std::vector<double> percentiles;
  for (const std::string_view item : split_list(list)) {
    const auto percent = parse_count(item);
    if (!percent || *percent <= 0 || *percent > 100) {
      return failed("'" + list + "' is not a list of percentiles such as 50,99,99.99", {}, 0);
    }
    percentiles.push_back(*percent);
  }
  std::ranges::sort(percentiles);
  const auto [repeated, end] = std::ranges::unique(percentiles);
  percentiles.erase(repeated, end);
  return percentiles;
}

Result<unsigned> parse_whole(const std::string& text, unsigned least) {
  const auto number = parse_count(text);
  if (!number || *number != std::floor(*number) || *number > 1e9 || *number < least) {
    return failed(fmt::format("'{}' is not a whole number from {} to 1000M", text, least), {}, 0);
  }
  return static_cast<unsigned>(*number);
}

}  // namespace wiremark::tools
