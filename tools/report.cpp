// The end of every run: the result gets its frame and its warnings and goes where the user wants
// it.
#include "report.h"

#include <fmt/format.h>

#include <fstream>

#include "measure/machine.h"
#include "measure/quantity.h"
#include "printing.h"
#include "report/csv.h"
#include "report/hdr.h"
#include "report/json.h"
#include "report/text.h"
#include "report/verdict.h"
#include "terminal.h"

namespace wiremark::tools {

namespace {

constexpr const char* kStandardOutput = "-";

template <class Study>
Result<> deliver_study(const Study& study, const OutputOptions& options) {
  if (options.json == kStandardOutput) {
    write_out(report::json_document(study));
    return {};
  }
  write_out(report::text_report(study));
  if (options.json.empty()) return {};
  return write_file(options.json, report::json_document(study));
}

}  // namespace

Result<> deliver(const report::Comparison& study, const OutputOptions& options) {
  return deliver_study(study, options);
}

Result<> deliver(const report::MaxRate& study, const OutputOptions& options) {
  return deliver_study(study, options);
}

Result<> deliver(const report::Bypass& study, const OutputOptions& options) {
  return deliver_study(study, options);
}

Result<> write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) return failed("write", file);
  return {};
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
  result.host.libraries.push_back(fmt::format("liburing {}", net::liburing_version()));
  return result;
}

void add_config(report::RunResult& result, const BackendOptions& options) {
  const auto kernel_or = [](int bytes) {
    return bytes > 0 ? std::to_string(bytes) : "kernel's choice";
  };
  result.config.insert(result.config.end(),
                       {
                           {"backend", std::string(net::to_string(options.backend))},
                           {"wait", options.reactor.wait.to_string()},
                           {"buffers", std::to_string(options.reactor.buffers)},
                           {"buffer-size", std::to_string(options.reactor.buffer_size)},
                           {"read-size", std::to_string(options.reactor.read_size)},
                           {"uring", options.reactor.uring.to_string()},
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
    path.evidence.push_back(fmt::format("reading rested {} for peers that did not read",
                                        measure::format_counted(stats.pauses.get(), "time")));
  }
  if (stats.accept_errors.get() > 0) {
    path.evidence.push_back(
        fmt::format("accepting rested {} for want of descriptors or memory",
                    measure::format_counted(stats.accept_errors.get(), "time")));
  }
  return path;
}

void print_interval(const report::Interval& interval, const OutputOptions& options) {
  if (options.json_lines) return write_out(report::json_line(interval));
  const std::string line = report::text_line(interval);
  options.json == kStandardOutput ? write_err(line) : write_out(line);
}

Result<> report(report::RunResult& result, const OutputOptions& options) {
  if (const auto memory = measure::memory_of_process()) {
    result.rss_bytes = memory->resident_bytes_max;
  }
  report::pass_verdict(result);
  return deliver(result, options);
}

Result<> deliver(const report::RunResult& result, const OutputOptions& options) {
  if (options.json_lines || options.json == kStandardOutput) {
    write_out(options.json_lines ? report::json_line(result) : report::json_document(result));
    const std::size_t reasons = result.verdict ? result.verdict->reasons.size() : 0;
    for (std::size_t i = 0; i < result.warnings.size(); ++i) {
      print_err("{}: {}: {}\n", result.tool, i < reasons ? "INVALID" : "warning",
                result.warnings[i]);
    }
  } else {
    write_out(report::text_report(result, wants_colour(options.colour)));
    if (!options.json.empty()) {
      if (auto written = write_file(options.json, report::json_document(result)); !written)
        return written;
    }
  }
  if (!options.csv.empty()) return report::append_csv(options.csv, result);
  return {};
}

Result<> write_distribution(const report::RunResult& result, const LatencyOptions& options) {
  if (options.hgrm.empty()) return {};
  const auto histogram = report::restore(result.latency);
  if (!histogram) return std::unexpected(histogram.error());
  return write_file(options.hgrm, report::hgrm_document(*histogram));
}

int cannot(const std::string& tool, const Error& error) {
  print_err("{}: {}\n", tool, error.message());
  return kCannot;
}

}  // namespace wiremark::tools
