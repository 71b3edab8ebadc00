// The command line of codecbench.
#include "codecbench/bench_options.h"

#include <fmt/format.h>

#include <cmath>

#include "base/list.h"
#include "base/units.h"
#include "codecbench/baseline.h"
#include "codecbench/left_out.h"
#include "measure/ratio.h"
#include "report/csv.h"
#include "wire/pairs.h"

namespace wiremark::tools {
namespace {

constexpr std::size_t kPayloadMax = 1 << 20;  // What the default limits let a frame hold.

constexpr const char* kExamples =
    "Examples:\n"
    "  codecbench --format all                 each format's own codec, all work\n"
    "  codecbench -f all --impl all -w packet  with the libraries beside them\n"
    "  codecbench -f json,json:jansson -o decode --input lines.txt\n"
    "  codecbench --json=before.json; ...; codecbench --baseline before.json\n"
    "  codecbench --experiment e6              beside the published figures";

/// A list such as "3,16", each item by `parse`, which returns a Result of a number.
template <class Parse>
auto parse_list(std::string_view text, std::size_t least, std::size_t most, Parse parse)
    -> Result<std::vector<std::size_t>> {
  std::vector<std::size_t> numbers;
  for (const std::string_view item : split_list(text)) {
    const auto number = parse(item);
    if (!number) return std::unexpected(number.error());
    const auto whole = static_cast<double>(*number);
    if (whole != std::floor(whole) || whole < static_cast<double>(least) ||
        whole > static_cast<double>(most)) {
      return failed(fmt::format("'{}' is not a whole number from {} to {}", item, least, most), {},
                    0);
    }
    numbers.push_back(static_cast<std::size_t>(whole));
  }
  return numbers;
}

Result<std::uint64_t> parse_one(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto list = parse_list(text, least, most, parse_count);
  if (!list) return std::unexpected(list.error());
  if (list->size() != 1) return failed(fmt::format("'{}' is not one number", text), {}, 0);
  return list->front();
}

void add_selection(CommandLine& line, Selection& selection) {
  line.add_words("-f,--format", selection.formats, known_formats(),
                 "Formats: all, or a list such as json,y3; json:jansson names one library (all)");
  line.add_words("--impl", selection.implementations, known_implementations(),
                 "Implementations of the formats: our own, all, or names (own)");
  line.add_words("-w,--workload", selection.workloads, {"all", "packet", "take", "envelope"},
                 "packet (E2), take (E6), envelope (E4) or all (all)");
  line.add_words("-o,--op", selection.ops, {"encode", "decode", "take", "roundtrip"},
                 "What to time (encode,decode,take)");
  line.add(
      "--pairs", selection.pairs, "LIST",
      [](const std::string& text) { return parse_list(text, 1, wire::kMaxPairs, parse_count); },
      "Pairs in a packet of the take workload (3,16,32,63)");
  line.add(
      "--sizes", selection.sizes, "LIST",
      [](const std::string& text) { return parse_list(text, 1, kPayloadMax, parse_size); },
      "Payloads of the envelope workload in bytes (20,100,500,1000,5000)");
  line.add_words("--contents", selection.contents,
                 {"ascii", "text", "escapes", "chinese", "russian"},
                 "Contents of packets (ascii,text,escapes; with --input its lines, as text)");
}

void add_method(CommandLine& line, Method& method) {
  line.add(
      "-n,--operations", method.operations, "N",
      [](const std::string& text) { return parse_one(text, 1, std::size_t{1} << 40); },
      "Operations per cell and thread, instead of a time");
  line.add(
      "-d,--duration", method.cell_time, "TIME",
      [](const std::string& text) { return parse_duration(text); },
      "Time per cell, all repeats together (an even share of 18s)");
  line.add(
      "--repeat", method.repeat, "N", [](const std::string& text) { return parse_whole(text, 1); },
      "Repeats, each of all rows in a new order and at new addresses (9)");
  line.add(
      "--seed", method.seed, "N",
      [](const std::string& text) { return parse_one(text, 0, std::size_t{1} << 53); },
      "Seed of every order and layout (1)");
}

void add_output(CommandLine& line, Options& options) {
  line.add(options.output, [] { return report::csv_headers({report::CodecTable()}); });
  line.add_input_file("--baseline", options.baseline,
                      "Compare with an earlier --json; 1 when a row is surely slower");
  line.add("--tolerance", options.tolerance_pct, "SHARE", parse_tolerance,
           "How much slower or faster than the baseline is still level (5%)");
  line.add_choice("--experiment", options.experiment, "NAME", {"e2", "e4", "e6"},
                  "Rerun a published experiment and print its figures beside ours");
  line.add_flag("--targets", options.targets,
                "Print the ratios this project promises, and whether ours keep them");
  line.add_html(options.output);
  line.add_colour(options.output);
  line.add_progress(options.output);
  line.add_flag("-v,--verbose", options.verbose,
                "Also print what each row cost besides, and how its batches were cut");
}

/// Fills in what the user left out.
void fill_in(Selection& selection, bool own_lines, bool targets) {
  using words = std::vector<std::string>;
  if (selection.formats.empty()) selection.formats = {"all"};
  if (selection.workloads.empty()) selection.workloads = {"all"};
  if (selection.ops.empty()) selection.ops = {"encode", "decode", "take"};
  if (selection.pairs.empty()) selection.pairs = {3, 16, 32, 63};
  if (selection.sizes.empty()) selection.sizes = {20, 100, 500, 1000, 5000};
  if (selection.contents.empty()) {
    selection.contents = own_lines ? words{"text"} : words{"ascii", "text", "escapes"};
    // Promises are about texts of one script too.
    if (targets) selection.contents = {"ascii", "text", "escapes", "chinese", "russian"};
  }
  if (selection.access.empty()) selection.access = {Access::hot, Access::cold};
}

}  // namespace

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CommandLine line("codecbench", "Time the codecs of wiremark, and the libraries beside them.",
                   kExamples);
  add_selection(line, options.selection);
  line.add_input_file("--input", options.input, "The lines of FILE are the contents called text");
  bool hot = false;
  bool cold = false;
  line.add_flag("--hot", hot, "Only rows with warm caches and a learnt order (both)");
  line.add_flag("--cold", cold, "Only rows with a fresh random order over half of L2 (both)");
  add_method(line, options.method);
  line.add(options.threads);
  add_output(line, options);

  line.check([&options]() -> Result<> {
    if (const auto missing = missing_library(options.selection)) return failed(*missing, {}, 0);
    if (options.baseline.empty() || options.method.repeat >= measure::kUnpairedRoundsMin) return {};
    return failed(fmt::format("--baseline needs --repeat {} or more: fewer cannot tell",
                              measure::kUnpairedRoundsMin),
                  {}, 0);
  });
  if (const auto over = line.parse(argc, argv)) return over;
  options.arguments = line.arguments();
  options.method.threads = options.threads.threads;
  options.method.cpus = options.threads.cpus;
  if (hot) options.selection.access.push_back(Access::hot);
  if (cold) options.selection.access.push_back(Access::cold);
  options.time_given = line.given("-n") || line.given("-d");
  fill_in(options.selection, !options.input.empty(), options.targets);
  return std::nullopt;
}

}  // namespace wiremark::tools
