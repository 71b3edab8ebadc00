// What rank 0 hears of all ranks, and the one result it makes of it.
#include "netload-mpi/gathering.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "base/printable.h"
#include "netload/run.h"
#include "printing.h"
#include "report.h"
#include "report/json.h"
#include "report/merge.h"
#include "report/merge_intervals.h"
#include "report/text.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

// Up to and without the next newline, which is taken too.
std::string take_first_line(std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

// mpirun of Open MPI 5 reads both streams of a rank, and where half a line of the one has come, it
// joins that to what comes on the other. So what is on its way on standard error arrives first.
void let_errors_through() {
  int unread = 0;
  for (int tries = 0; tries < 100; ++tries) {
    if (::ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

std::string Outcome::to_text() const {
  std::string why = lost;
  std::ranges::replace(why, '\n', ' ');
  return fmt::format("{}\n{:.9f}\n{}\n{}", printable(host), clock_ahead_s, printable(why), result);
}

Outcome Outcome::parse(const std::string& text) {
  std::string rest = text;
  Outcome outcome;
  outcome.host = take_first_line(rest);
  const std::string ahead = take_first_line(rest);
  std::from_chars(ahead.data(), ahead.data() + ahead.size(), outcome.clock_ahead_s);
  outcome.lost = take_first_line(rest);
  outcome.result = std::move(rest);
  return outcome;
}

std::string name_of_rank(int rank, const std::string& host) {
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, host);
}

Gathering::Gathering(const LoadOptions& options, std::vector<std::string> arguments, int size)
    : options_(options),
      arguments_(std::move(arguments)),
      size_(size),
      draws_(options.time.interval == 0 &&
             wants_progress(options.output.progress, options.output.quiet)),
      lines_(static_cast<std::size_t>(size)) {}

void Gathering::take_line(int rank, const std::string& json) {
  const auto document = report::parse_document(json);
  if (!document) return;
  const auto* line = std::get_if<report::IntervalLine>(&*document);
  if (line == nullptr) return;
  lines_[static_cast<std::size_t>(rank)].push_back(line->interval);
  for (;; ++shown_) {
    std::vector<report::RunResult> runs;
    for (const auto& lines : lines_) {
      if (lines.size() <= shown_) return;
      runs.emplace_back().intervals = {lines[shown_]};
    }
    for (const report::Interval& interval : report::intervals_of(runs, report::Order::at_once))
      show(interval);
  }
}

void Gathering::show(const report::Interval& interval) {
  if (!draws_) return print_interval(interval, options_.output);
  std::string text = report::text_line(interval);
  draw_progress(take_first_line(text));
}

void Gathering::take_outcome(int rank, const std::string& text) {
  outcomes_[rank] = Outcome::parse(text);
}

void Gathering::lose_all(const std::string& why) {
  for (auto& [rank, outcome] : outcomes_) {
    if (outcome.lost.empty()) outcome.lost = why;
  }
}

int Gathering::say_why_not(bool interrupted) const {
  if (draws_) wipe_progress();
  for (const auto& [rank, outcome] : outcomes_) {
    if (!outcome.lost.empty())
      print_err("netload-mpi: {}: {}\n", name_of_rank(rank, outcome.host), outcome.lost);
  }
  return interrupted ? kInterrupted : kCannot;
}

Result<report::RunResult> Gathering::sum(const std::string& silent, bool& lacks_one) const {
  std::vector<report::RunResult> runs;
  std::vector<std::string> names;
  std::vector<report::Generator> lost;
  for (int rank = 0; rank < size_; ++rank) {
    const auto known = outcomes_.find(rank);
    Outcome outcome = known == outcomes_.end() ? Outcome() : known->second;
    if (outcome.lost.empty() && outcome.result.empty()) outcome.lost = silent;
    const std::string name = fmt::format("rank {}", rank);
    if (!outcome.lost.empty()) {
      lost.push_back({.name = name, .host = outcome.host, .lost = outcome.lost, .verdict = {}});
      continue;
    }
    auto document = report::parse_document(outcome.result);
    if (!document) return std::unexpected(document.error());
    auto& run = std::get<report::RunResult>(*document);
    if (run.measured_from) *run.measured_from -= outcome.clock_ahead_s;
    report::Generator generator = report::generator_of(run, name);
    generator.host = outcome.host;
    generator.clock_ahead_us = outcome.clock_ahead_s * 1e6;
    run.generators = {std::move(generator)};
    runs.push_back(std::move(run));
    names.push_back(name_of_rank(rank, outcome.host));
  }
  lacks_one = !lost.empty();
  if (!runs.empty()) return report::merge(runs, report::Order::at_once, names, lost);
  say_why_not(false);
  return failed("not one of the ranks has a result", {}, 0);
}

Result<int> Gathering::deliver_sum(const std::string& silent) {
  if (draws_) wipe_progress();
  bool lacks_one = false;
  auto result = sum(silent, lacks_one);
  if (!result) return std::unexpected(result.error());
  result->argv = arguments_;
  for (const report::Generator& generator : *result->generators) {
    if (!generator.lost.empty())
      print_err("netload-mpi: {}, {}: {}\n", generator.name, generator.host, generator.lost);
  }
  print_doubts(*result, options_.output);
  let_errors_through();
  const auto written =
      together({deliver(*result, options_.output), write_distribution(*result, options_.latency)});
  if (!written) return std::unexpected(written.error());
  const int code = exit_code(*result, options_);
  return lacks_one && code != kInterrupted ? kCannot : code;
}

}  // namespace wiremark::tools
