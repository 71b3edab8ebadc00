// A result as a person reads it.
#include "report/text.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "measure/behind.h"
#include "measure/quantity.h"
#include "report/folding.h"
#include "report/text_tables.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string per_second(std::uint64_t bytes, double seconds) {
  return format_size(seconds > 0 ? static_cast<double>(bytes) / seconds : 0) + "/s";
}

std::string packet_rate(std::uint64_t packets, double seconds) {
  return format_rate(seconds > 0 ? static_cast<double>(packets) / seconds : 0) + "/s";
}

// Segments with data are counted apart: the others are acknowledgements.
std::string packet_rates(const std::optional<Packets>& packets, double seconds) {
  if (!packets) return fmt::format("{:>14}", "n/a");
  return fmt::format("{:>14} in   {} out  (data {} in, {} out)", packet_rate(packets->in, seconds),
                     packet_rate(packets->out, seconds), packet_rate(packets->data_in, seconds),
                     packet_rate(packets->data_out, seconds));
}

enum class Paint { good = 32, partly = 33, bad = 31 };

// Bold green, yellow or red, where colours are wanted.
std::string painted(std::string_view text, Paint paint, bool colour) {
  if (!colour) return std::string(text);
  return fmt::format("\033[1;{}m{}\033[0m", static_cast<int>(paint), text);
}

// The first words of a result: which of its figures are to be trusted.
std::string headline(const Verdict& verdict, bool colour) {
  const std::string_view level = verdict.level();
  const Paint paint = level == "VALID"     ? Paint::good
                      : level == "INVALID" ? Paint::bad
                                           : Paint::partly;
  return painted(verdict.words() + ":", paint, colour);
}

// What is under way at the end is answered a moment later; that goes without saying.
bool is_notable(const Drain& drain, const Totals& totals) {
  constexpr double kPart = 0.01;
  return drain.seconds > kPart * totals.seconds ||
         static_cast<double>(drain.messages) > kPart * static_cast<double>(totals.messages);
}

void put_head(std::string& text, const RunResult& result, bool colour) {
  const Totals& totals = result.totals;
  std::string connections = format_counted(totals.connections, "connection");
  if (totals.connections < totals.connections_asked)
    connections += fmt::format(" of {}", format_count(totals.connections_asked));
  if (const std::string* target = result.find_option("target")) connections += " to " + *target;
  constexpr std::size_t kIndent = 4;
  std::string head = result.verdict ? headline(*result.verdict, colour) + " " : "";
  head +=
      fmt::format("{} {}, {}, {}, {}{}\n", result.tool, result.version, result.path.active,
                  connections, span_of(totals.seconds), result.interrupted ? ", interrupted" : "");
  text += folded(head, kIndent);
  if (result.verdict) {
    for (const std::string& reason : result.verdict->reasons)
      text += folded("  " + doubt_text(*result.verdict, reason) + '\n', kIndent);
  }
  text += '\n';
  put_line(text, "throughput",
           fmt::format("{:>10} qps   {}", format_rate(totals.qps()),
                       format_counted(totals.messages, "message")));
  if (totals.drain && is_notable(*totals.drain, totals)) {
    put_line(text, "drain",
             fmt::format("{} answered in the {} after it, in no rate",
                         format_counted(totals.drain->messages, "message"),
                         span_of(totals.drain->seconds)));
  }
  put_line(text, "bytes",
           fmt::format("{:>14} in   {} out", per_second(totals.bytes_in, totals.seconds),
                       per_second(totals.bytes_out, totals.seconds)));
  if (!totals.datagrams) {
    put_line(text, "packets", packet_rates(totals.packets, totals.seconds));
    return;
  }
  const Datagrams& datagrams = *totals.datagrams;
  put_line(text, "datagrams",
           fmt::format("{:>14} in   {} out   ({} unsent, {} dropped)", format_count(datagrams.in),
                       format_count(datagrams.out), format_count(datagrams.unsent),
                       format_count(datagrams.dropped)));
}

std::string bytes_of(const ByteSummary& bytes) {
  const auto size = [](std::uint64_t value) { return format_size(static_cast<double>(value)); };
  return fmt::format("p50 {}, p99 {}, max {}", size(bytes.p50), size(bytes.p99), size(bytes.max));
}

void put_backlog(std::string& text, const std::optional<Stages>& stages) {
  if (!stages) return;
  text += '\n';
  put_line(text, "backlog", "found by a tick in a connection: " + bytes_of(stages->found));
  put_line(text, "", "left by a tick in a connection: " + bytes_of(stages->left));
}

// Each count that is not 0; a single one where every message was answered.
std::string text_of(const Outcome& outcome) {
  if (outcome.planned == 0) return "nothing was planned or sent";
  std::string text = format_count(outcome.planned);
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", format_count(count), what);
  };
  if (outcome.answered == outcome.planned) {
    text += " planned, sent and answered";
  } else {
    text += outcome.sent == outcome.planned ? " planned and sent" : " planned";
    if (outcome.sent < outcome.planned) add(outcome.sent, "sent");
    add(outcome.unsent, "unsent");
    add(outcome.answered, "answered");
    add(outcome.lost, "lost");
    add(outcome.late, "of them late");
  }
  add(outcome.repeated.value_or(0), "sent once more");
  return text;
}

std::string text_of(const Pacing& pacing) {
  const std::string limit = format_time(kBehindNs);
  std::string text = pacing.behind == 0 ? fmt::format("none sent over {} behind its time", limit)
                                        : fmt::format("{} sent over {} behind {} time",
                                                      format_count(pacing.behind), limit,
                                                      pacing.behind == 1 ? "its" : "their");
  if (pacing.overdue > 0)
    text += fmt::format(", {} overdue in the generator", format_count(pacing.overdue));
  return text;
}

std::string run_delay_text(const RunResult& result) {
  const auto share = [&](const ProcessorWait& wait, const CpuShare& cpu) {
    return format_share(cpu.waited_pct(wait.run_delay_s, result.totals.seconds));
  };
  std::string text = fmt::format("{} {}", result.tool, share(*result.wait, result.cpu));
  if (result.server_wait && result.server_cpu)
    text += fmt::format(", server {}", share(*result.server_wait, *result.server_cpu));
  return text + " of its threads' time ready, without a processor";
}

void put_outcome(std::string& text, const RunResult& result, bool colour) {
  text += '\n';
  if (result.outcome) put_line(text, "outcome", text_of(*result.outcome));
  if (result.answers && !result.answers->empty())
    put_line(text, "answers", counts_text(*result.answers));
  if (result.pacing) put_line(text, "pacing", text_of(*result.pacing));
  if (const auto& loop = result.loop; loop && loop->held_up_s > 0) {
    put_line(text, "loop",
             fmt::format("longest gap of the generator {}, all of 1 ms or more {}",
                         format_time(static_cast<double>(loop->gap_max)),
                         format_time(loop->held_up_s * kSecond)));
  }
  if (const auto& loop = result.server_loop; loop && loop->held_up_s > 0) {
    put_line(
        text, "its loop",
        fmt::format("longest gap of the server {}, of 1 ms or more {}, off the processor {}",
                    format_time(static_cast<double>(loop->gap_max)),
                    format_time(loop->held_up_s * kSecond), format_time(loop->away_s * kSecond)));
  }
  if (result.wait) put_line(text, "run delay", run_delay_text(result));
  if (const auto& delivery = result.delivery) {
    put_line(text, "delivery",
             fmt::format("{} reordered, {} duplicated, {} wrong", format_count(delivery->reordered),
                         format_count(delivery->duplicated), format_count(delivery->wrong)));
  }
  const std::string errors = counts_text(result.totals.errors);
  put_line(text, "errors", errors.empty() ? "none" : errors);
  for (const Check& check : result.checks) {
    put_line(text, "check",
             fmt::format("{} {}{}{}", check.name,
                         check.passed ? "passed" : painted("FAILED", Paint::bad, colour),
                         check.detail.empty() ? "" : ": ", check.detail));
  }
}

void put_surroundings(std::string& text, const RunResult& result) {
  put_line(text, "path",
           fmt::format("{} asked for, {} active", result.path.requested, result.path.active));
  for (const std::string& evidence : result.path.evidence) put_line(text, "", evidence);
  put_line(text, "machine", describe(result.host));
}

}  // namespace

std::string doubt_text(const Verdict& verdict, const std::string& reason) {
  if (!verdict.figures) return reason;
  std::vector<std::string_view> doubted;
  for (const FigureVerdict& figure : *verdict.figures) {
    if (std::ranges::find(figure.reasons, reason) != figure.reasons.end())
      doubted.push_back(figure.name);
  }
  if (doubted.empty() || doubted.size() == verdict.figures->size()) return reason;
  return fmt::format("not {}: {}", fmt::join(doubted, ", "), reason);
}

std::string text_report(const RunResult& result, bool colour, Letters letters) {
  std::string text;
  put_head(text, result, colour);
  put_latencies(text, result);
  if (const std::string shape = latency_shape(result.latency, letters); !shape.empty())
    put_line(text, "shape", shape);
  put_backlog(text, result.stages);
  put_costs(text, result);
  put_generators(text, result);
  put_outcome(text, result, colour);
  put_surroundings(text, result);
  // The reasons of the verdict stand at the top already.
  if (!result.notes().empty()) text += '\n';
  for (const std::string& note : result.notes()) text += folded("  warning: " + note + '\n', 4);
  return text;
}

std::string text_line(const Interval& interval) {
  const double seconds = interval.seconds;
  std::string text = fmt::format(
      "{:>6.1f} s {:>7} qps {:>6} conn p50 {:>7} p99 {:>7} max {:>7} cpu {:>6}\n",
      interval.start_s + seconds, format_rate(interval.qps()), interval.connections,
      time_or_dash(interval.p50_ns), time_or_dash(interval.p99_ns), time_or_dash(interval.max_ns),
      format_share(seconds > 0 ? 100 * (interval.user_s + interval.sys_s) / seconds : 0));
  text += fmt::format("{:>14} in {} out", per_second(interval.bytes_in, seconds),
                      per_second(interval.bytes_out, seconds));
  if (const auto& packets = interval.packets) {
    text += fmt::format("  packets {} in {} out", packet_rate(packets->in, seconds),
                        packet_rate(packets->out, seconds));
  }
  text += fmt::format("  rss {}\n", format_size(static_cast<double>(interval.rss_bytes)));
  // On a line of its own it is easy to find, and the other lines stay within 80 columns.
  if (interval.oldest_ns && interval.oldest_ns > interval.max_ns) {
    text += fmt::format("{:>10}a message has waited {} for its answer\n", "",
                        format_time(*interval.oldest_ns));
  }
  if (interval.errors > 0)
    text += fmt::format("{:>10}{}\n", "", format_counted(interval.errors, "error"));
  return text;
}

}  // namespace wiremark::report
