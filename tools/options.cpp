// The options that several tools have.
#include "options.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>

#include "base/cpus.h"
#include "base/list.h"
#include "base/output_file.h"
#include "base/units.h"
#include "measure/quantity.h"

namespace wiremark::tools {

namespace {

// Rising percentiles of a list such as 50,99,99.99, each over 0 and up to 100.
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

Result<unsigned> parse_threads(const std::string& text) {
  auto threads = parse_positive(text);
  const std::size_t processors = allowed_cpus().size();
  if (threads && *threads > threads_max(processors))
    return failed(
        fmt::format("'{}' are too many for {}: take at most {}", text,
                    measure::format_counted(processors, "processor"), threads_max(processors)),
        {}, 0);
  return threads;
}

}  // namespace

void CommandLine::add(OutputOptions& options,
                      std::function<std::vector<std::string>()> csv_headers) {
  add_output("--json", options.json,
             "Print the result as JSON instead of text, or write it to FILE (--json=FILE)");
  add_output_file("--csv", options.csv,
                  "Append the result as a row to FILE, with a header when it is new")
      .check([make_headers = std::move(csv_headers)](const std::string& file) {
        const std::vector<std::string> headers = make_headers();
        Result<> fits = require_header(file, headers.front());
        for (const std::string& header : headers)
          if (!fits) fits = require_header(file, header);
        return fits;
      });
  add_flag("-q,--quiet", options.quiet,
           "Print no progress and no notes, only the result and errors");
}

void CommandLine::add_html(OutputOptions& options) {
  add_output("--html", options.html,
             "Print the result as a page with pictures, or write it to FILE (--html=FILE)");
}

void CommandLine::add_colour(OutputOptions& options) {
  options.colour = "auto";
  add_choice("--color", options.colour, "WHEN", {"auto", "always", "never"},
             "Colour what matters most in the text: auto, always or never; auto looks for a "
             "terminal and NO_COLOR (auto)");
}

void CommandLine::add_lines(OutputOptions& options) {
  add_flag("--json-lines", options.json_lines,
           "Print each line of figures, and the result last, as one JSON object a line")
      .excludes(option("--json"));
}

void CommandLine::add_progress(OutputOptions& options) {
  add_choice(
      "--progress", options.progress, "WHEN", {"auto", "on", "off"},
      "Show on standard error how far it is: auto, on or off; auto looks for a terminal (auto)");
}

void CommandLine::add(LatencyOptions& options) {
  add("--percentiles", options.percentiles, "LIST", parse_percentiles,
      "Percentiles to print (50,90,99,99.9,99.99)");
  add_output_file("--hgrm", options.hgrm,
                  "Write the latency to FILE as a percentile distribution of HdrHistogram, in us");
  add_output_file("--hdr-log", options.hdr_log,
                  "Write the histograms to FILE as an interval log of HdrHistogram, in ns");
}

void CommandLine::add(ThreadOptions& options) {
  add("-t,--threads", options.threads, "N", parse_threads,
      "Threads, each with a loop of its own; at most 64, or 4 for each processor (1)");
  add("--cpus", options.cpus, "LIST", parse_cpus,
      "Pin thread i to the i-th processor of a list such as 0,2-3 (not pinned)");
}

int FamilyOptions::family() const noexcept {
  if (ipv4) return AF_INET;
  return ipv6 ? AF_INET6 : AF_UNSPEC;
}

void CommandLine::add(FamilyOptions& options) {
  const Option four = add_flag("-4,--ipv4", options.ipv4, "Of a name, only addresses of IPv4");
  add_flag("-6,--ipv6", options.ipv6, "Of a name, only addresses of IPv6").excludes(four);
}

void CommandLine::add(TimeOptions& options, const std::string& duration_help) {
  const auto duration = [](const std::string& text) -> Result<Nanoseconds> {
    const auto parsed = parse_duration(text);
    if (parsed && *parsed == 0)
      return failed("'" + text + "' is no time at all; 1s is a second", {}, 0);
    return parsed;
  };
  add("-d,--duration", options.duration, "TIME", duration, duration_help);
  add("-i,--interval", options.interval, "TIME", parse_duration,
      "Print a line of figures every TIME (off)");
}

void keep_intervals(TimeOptions& time, const OutputOptions& output) {
  // A picture has room for some hundred of them, and a tenth of a second is many messages still.
  constexpr Nanoseconds kShortest = 100 * kMillisecond;
  constexpr Nanoseconds kPictured = 60;
  if (output.html.empty() || time.interval > 0) return;
  const Nanoseconds part = time.duration > 0 ? time.duration / kPictured : kSecond;
  time.interval = std::clamp(part, kShortest, kSecond);
  time.told = false;
}

Result<unsigned> parse_whole(const std::string& text, unsigned least) {
  const auto number = parse_count(text);
  if (!number || *number != std::floor(*number) || *number > 1e9 || *number < least) {
    return failed(fmt::format("'{}' is not a whole number from {} to 1000M", text, least), {}, 0);
  }
  return static_cast<unsigned>(*number);
}

Result<unsigned> parse_positive(const std::string& text) { return parse_whole(text, 1); }

Result<int> parse_descriptor(const std::string& text) {
  const auto number = parse_whole(text, 0);
  if (!number) return std::unexpected(number.error());
  return static_cast<int>(*number);
}

}  // namespace wiremark::tools
