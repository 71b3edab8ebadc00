// The end of every run: the result gets its verdict and warnings and goes where the user wants it.
#include "report.h"

#include <fmt/format.h>

#include "base/output_file.h"
#include "measure/machine.h"
#include "measure/quantity.h"
#include "printing.h"
#include "probe/finding.h"
#include "report/csv.h"
#include "report/hdr.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"
#include "report/verdict.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

void print_doubts_of(const report::RunResult& result, bool quiet) {
  if (result.verdict) {
    const bool partly = result.verdict->level() == "VALID FOR";
    for (const std::string& reason : result.verdict->reasons)
      print_err("{}: {}: {}\n", result.tool, partly ? "doubt" : "INVALID",
                report::doubt_text(*result.verdict, reason));
  }
  if (quiet) return;
  for (const std::string& note : result.notes()) print_err("{}: warning: {}\n", result.tool, note);
}

}  // namespace

bool is_file(const std::string& output) { return !output.empty() && output != kStandardOutput; }

bool shows_text(const OutputOptions& options) {
  return !options.json_lines && options.json != kStandardOutput && options.html != kStandardOutput;
}

report::RunResult new_result(const std::string& tool, const std::vector<std::string>& arguments,
                             std::chrono::system_clock::time_point started) {
  report::RunResult result;
  result.tool = tool;
  result.version = WIREMARK_VERSION;
  result.argv = arguments;
  result.started = report::format_moment(started);
  result.host = measure::this_machine();
  result.host.wake_cost_ns = measure::measure_wake_cost();
  result.host.evidence = probe::machine_evidence();
  result.host.libraries.push_back(fmt::format("liburing {}", net::liburing_version()));
  return result;
}

report::ProcessorWait wait_of(const measure::RunDelay& delay,
                              const std::vector<measure::Throttling>& later,
                              const std::vector<measure::Throttling>& earlier) {
  report::ProcessorWait wait{.run_delay_s = static_cast<double>(delay.waited) / kSecond,
                             .slices = delay.slices};
  if (later.empty()) return wait;
  const measure::Throttling most = measure::longest_stop(later, earlier);
  wait.throttled =
      report::Throttled{most.cgroup, most.times, static_cast<double>(most.stopped) / kSecond};
  return wait;
}

void add_config(report::RunResult& result, const BackendOptions& options) {
  const auto kernel_or = [](int bytes) {
    return bytes > 0 ? std::to_string(bytes) : "kernel's choice";
  };
  result.config.insert(result.config.end(),
                       {
                           {"backend", std::string(net::to_string(options.backend))},
                           {"wait", options.reactor.wait.to_string()},
                           {"realtime", options.realtime ? "yes" : "no"},
                           {"buffers", std::to_string(options.reactor.buffers)},
                           {"buffer-size", std::to_string(options.reactor.buffer_size)},
                           {"read-size", std::to_string(options.reactor.read_size)},
                           {"uring", options.reactor.uring.to_string()},
                           {"udp-offload", options.reactor.udp_offload ? "auto" : "off"},
                           {"sndbuf", kernel_or(options.socket.send_buffer)},
                           {"rcvbuf", kernel_or(options.socket.receive_buffer)},
                       });
}

report::Path path_of(net::Backend requested, net::Backend active,
                     const std::vector<std::string>& description, const net::ReactorStats& stats,
                     std::uint64_t messages) {
  report::Path path;
  path.requested = net::to_string(requested);
  path.active = net::to_string(active);
  path.evidence = description;
  if (messages > 0) {
    const auto per_message = [messages](const Counter& count) {
      return static_cast<double>(count.get()) / static_cast<double>(messages);
    };
    path.evidence.push_back(fmt::format(
        "{:.3f} system calls, {:.3f} turns and {:.3f} sleeps per message",
        per_message(stats.system_calls), per_message(stats.turns), per_message(stats.sleeps)));
  }
  if (stats.bytes_out.get() > 0) {
    path.evidence.push_back(
        fmt::format("{:.3g} % of the bytes sent were copied in user space first",
                    100.0 * static_cast<double>(stats.copied.get()) /
                        static_cast<double>(stats.bytes_out.get())));
  }
  if (stats.out_of_buffers.get() > 0) {
    path.evidence.push_back(measure::format_counted(stats.out_of_buffers.get(), "receive") +
                            " ended for want of a buffer");
  }
  if (stats.pauses.get() > 0) {
    path.evidence.push_back(fmt::format("reading paused {} for peers that did not read",
                                        measure::format_counted(stats.pauses.get(), "time")));
  }
  if (stats.accept_errors.get() > 0) {
    path.evidence.push_back(
        fmt::format("accepting paused {} for want of descriptors or memory",
                    measure::format_counted(stats.accept_errors.get(), "time")));
  }
  return path;
}

void print_interval(const report::Interval& interval, const OutputOptions& options) {
  if (options.json_lines) return write_out(report::json_line(report::IntervalLine{interval}));
  const std::string line = report::text_line(interval);
  shows_text(options) ? write_out(line) : write_err(line);
}

Result<> report(report::RunResult& result, const OutputOptions& options) {
  if (const auto memory = measure::memory_of_process()) {
    result.rss_bytes = memory->resident_bytes_max;
  }
  report::pass_verdict(result);
  print_doubts(result, options);
  return deliver(result, options);
}

void print_doubts(const report::Document& document, const OutputOptions& options) {
  if (shows_text(options)) return;
  if (const auto* result = std::get_if<report::RunResult>(&document))
    print_doubts_of(*result, options.quiet);
  if (const auto* codecs = std::get_if<report::CodecTable>(&document))
    print_doubts_of(codecs->run, options.quiet);
}

Result<> together(std::initializer_list<Result<>> written) {
  std::string said;
  for (const Result<>& one : written) {
    if (!one) said += (said.empty() ? "" : "; ") + one.error().message();
  }
  return said.empty() ? Result<>() : failed(std::move(said), {}, 0);
}

Result<> write_as_asked(const report::Document& document, const std::string& text,
                        const OutputOptions& options) {
  const std::string page = options.html.empty() ? std::string() : report::html_page(document);
  if (!options.html.empty() && page.empty())
    return failed("an interval alone has no page (leave out --html)", {}, 0);
  if (options.json_lines)
    write_out(report::json_line(document));
  else if (options.json == kStandardOutput)
    write_out(report::json_document(document));
  else
    write_out(options.html == kStandardOutput ? page : text);
  return together({is_file(options.json)
                       ? replace_file(options.json, report::json_document(document))
                       : Result<>(),
                   is_file(options.html) ? replace_file(options.html, page) : Result<>(),
                   options.csv.empty() ? Result<>() : report::append_csv(options.csv, document)});
}

Result<> deliver(const report::RunResult& result, const OutputOptions& options) {
  return deliver(result, options, [&](const report::RunResult& printable) {
    return report::text_report(printable, wants_colour(options.colour), letters_of_terminal());
  });
}

Result<> write_distribution(const report::RunResult& result, const LatencyOptions& options) {
  if (options.hgrm.empty()) return {};
  const auto histogram = report::restore(result.latency);
  if (!histogram) return std::unexpected(histogram.error());
  return replace_file(options.hgrm,
                      report::hgrm_document(*histogram, result.latency.unanswered.value_or(0)));
}

int cannot(const std::string& tool, const Error& error) {
  print_err("{}: {}\n", tool, error.message());
  return kCannot;
}

}  // namespace wiremark::tools
