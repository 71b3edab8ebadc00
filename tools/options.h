// The options that several tools have.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "command_line.h"

namespace wiremark::tools {

/// Where results go, besides the text on standard output.
struct OutputOptions {
  std::string json;         ///< "-" is standard output, in place of the text; empty is none.
  std::string csv;          ///< A row is appended to this file; empty is none.
  std::string html;         ///< A page with pictures; as for json.
  bool json_lines = false;  ///< Intervals and the result as one JSON object a line.
  bool quiet = false;
  std::string colour = "never";   ///< "auto", "always" or "never"; see terminal.h.
  std::string progress = "auto";  ///< "auto", "on" or "off".
};

/// How the latency histogram is printed and written.
struct LatencyOptions {
  std::vector<double> percentiles;  ///< To print, rising; empty: those of report::kPercentiles.
  std::string hgrm;                 ///< Percentile distribution as HdrHistogram prints it.
  std::string hdr_log;              ///< Interval log of HdrHistogram.
};

/// The threads of a tool that runs loops.
struct ThreadOptions {
  unsigned threads = 1;
  std::vector<int> cpus;  ///< Empty: not pinned.
};

/// Which addresses of a name are meant.
struct FamilyOptions {
  bool ipv4 = false;
  bool ipv6 = false;

  /// As net::Address::resolve() takes it.
  int family() const noexcept;
};

/// When the tool ends, and how often it prints a line of figures; 0: never.
struct TimeOptions {
  Nanoseconds duration = 0;
  Nanoseconds interval = 0;
  bool told = true;  ///< Of the intervals; otherwise the result has them, and no line shows them.
};

/// A page draws a run over time: it has intervals, where nobody asked for some, that none is told
/// of.
void keep_intervals(TimeOptions& time, const OutputOptions& output);

/// A whole number of at least `least`, such as 10k.
Result<unsigned> parse_whole(const std::string& text, unsigned least);
Result<unsigned> parse_positive(const std::string& text);

/// The number of a descriptor that whoever started the tool has left open for it.
Result<int> parse_descriptor(const std::string& text);

}  // namespace wiremark::tools
