// The tables of a report as text: latencies and processor time.
#include "report/text_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "report/folding.h"

namespace wiremark::report {

using namespace measure;

namespace {

struct Column {
  std::string_view name;
  const LatencySummary* latency;
};

void put_row(std::string& text, std::string_view label, const std::vector<Column>& columns,
             auto&& figure) {
  text += fmt::format("  {:<11}", label);
  for (const Column& column : columns) text += fmt::format("{:>12}", figure(column));
  text += '\n';
}

std::string figure_at(const LatencySummary& latency, double percent) {
  for (const Percentile& percentile : latency.percentiles) {
    if (percentile.percent == percent) return format_time(percentile.ns);
  }
  const std::uint64_t unanswered = latency.unanswered.value_or(0);
  return percent_of_answered(percent, latency.count, unanswered) > 100 ? "never" : "-";
}

void put_end(std::string& text, std::string_view name, const CpuShare& share, double seconds,
             std::optional<double> us_per_message, std::uint64_t rss_bytes) {
  text += fmt::format("  {:<11}{:>12}{:>12}{:>12}{:>15}{:>12}\n", name, span_of(share.user_s),
                      span_of(share.sys_s), format_share(share.pct(seconds)),
                      us_per_message ? format_number(*us_per_message) + " us" : "-",
                      rss_bytes > 0 ? format_size(static_cast<double>(rss_bytes)) : "-");
}

// "netecho (81)", and what it has started; not a process that calls itself "netecho (1)", for which
// the kernel keeps 15 letters.
bool is_netecho(std::string_view server) {
  constexpr std::string_view kName = "netecho (";
  if (!server.starts_with(kName)) return false;
  server.remove_prefix(
      std::min(server.find_first_not_of("0123456789", kName.size()), server.size()));
  return server == ")" || server.starts_with("), and ");
}

// The processor time outside the measured part, where it is over 1 % of that in it.
std::string parts_of(const CpuShare& share) {
  constexpr double kPart = 0.01;
  std::string text;
  double sum = 0;
  for (const PartOfRun& part : kPartsOfRun) {
    const double spent_s = (share.*part.spent_s).value_or(0);
    if (spent_s <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name, span_of(spent_s));
    sum += spent_s;
  }
  return sum > kPart * share.total_s() ? text : std::string();
}

// "opening, closing (why), drain (why)"
std::string text_of(const UnknownParts& unknown) {
  std::string text;
  for (auto one = unknown.begin(); one != unknown.end(); ++one) {
    const auto part = std::ranges::find(kPartsOfRun, one->first, &PartOfRun::field);
    text += part == std::end(kPartsOfRun) ? one->first : part->name;
    const auto next = std::next(one);
    const bool last = next == unknown.end();
    if (last || next->second != one->second) text += fmt::format(" ({})", one->second);
    if (!last) text += ", ";
  }
  return text;
}

void put_parts(std::string& text, const RunResult& result) {
  const char* label = "besides";
  const auto put = [&](std::string_view end, const std::string& parts) {
    if (parts.empty()) return;
    put_line(text, label, fmt::format("{}: {}", end, parts));
    label = "";
  };
  put(result.tool, parts_of(result.cpu));
  if (result.server_cpu) put("server", parts_of(*result.server_cpu));
  if (result.server_parts_unknown)
    put("server", "unknown: " + text_of(*result.server_parts_unknown));
  const std::uint64_t again = result.totals.opened_again.value_or(0);
  if (again > 0)
    put_line(text, "in it", fmt::format("{} opened again", format_counted(again, "connection")));
}

}  // namespace

void put_line(std::string& text, std::string_view label, std::string_view value) {
  constexpr std::size_t kValue = 14;
  text += folded(fmt::format("  {:<11} {}\n", label, value), kValue);
}

std::string span_of(double seconds) { return format_time(seconds * 1e9); }

void put_latencies(std::string& text, const RunResult& result) {
  std::vector<Column> columns;
  const auto add = [&](std::string_view name, const LatencySummary& latency) {
    if (latency.count > 0) columns.push_back({name, &latency});
  };
  add("latency", result.latency);
  if (result.service) add("service", *result.service);
  if (result.lateness) add("lateness", *result.lateness);
  if (result.connect) add("connect", *result.connect);
  if (result.stages) add("tick", result.stages->tick);
  if (columns.empty()) return;

  text += '\n';
  put_row(text, "", columns, [](const Column& column) { return std::string(column.name); });
  put_row(text, "from", columns, [](const Column& column) { return column.latency->from; });
  put_row(text, "min", columns,
          [](const Column& column) { return time_or_dash(column.latency->min); });
  // Where messages were never answered, the first column lacks percentiles that others have.
  std::set<double> percents;
  for (const Column& column : columns) {
    for (const Percentile& percentile : column.latency->percentiles)
      percents.insert(percentile.percent);
  }
  for (const double percent : percents) {
    // The hundredth percentile is the maximum, which has a row of its own and is exact there.
    if (percent >= 100) continue;
    put_row(text, fmt::format("p{}", percent), columns,
            [&](const Column& column) { return figure_at(*column.latency, percent); });
  }
  put_row(text, "max", columns, [](const Column& column) {
    const LatencySummary& latency = *column.latency;
    return latency.unanswered.value_or(0) > 0 ? "never" : time_or_dash(latency.max);
  });
  put_row(text, "mean", columns,
          [](const Column& column) { return time_or_dash(column.latency->mean); });
  put_row(text, "stddev", columns,
          [](const Column& column) { return time_or_dash(column.latency->stddev); });
}

void put_costs(std::string& text, const RunResult& result) {
  const double seconds = result.totals.seconds;
  text += fmt::format("\n  {:<11}{:>12}{:>12}{:>12}{:>15}{:>12}\n", "cpu", "user", "sys",
                      "of a core", "per message", "memory");
  put_end(text, result.tool, result.cpu, seconds, result.us_cpu_per_message(), result.rss_bytes);
  if (result.server_cpu) {
    put_end(text, "server", *result.server_cpu, seconds, result.server_us_cpu_per_message(),
            result.server_rss_bytes.value_or(0));
  } else if (result.server_unknown) {
    put_line(text, "server", "unknown: " + *result.server_unknown);
  }
  if (result.server && !is_netecho(*result.server)) put_line(text, "of", *result.server);
  put_parts(text, result);
  put_line(text, "processors",
           fmt::format("{:>11} busy, {} softirq, {} steal", format_share(result.machine.busy_pct),
                       format_share(result.machine.softirq_pct),
                       format_share(result.machine.steal_pct)));
}

void put_generators(std::string& text, const RunResult& result) {
  if (!result.generators) return;
  constexpr std::size_t kName = 26;
  text += fmt::format("\n  {:<26}{:>10}{:>12}{:>13}  {}\n", "generators", "began", "messages",
                      "per message", "by itself");
  for (const Generator& one : *result.generators) {
    const std::string name = one.host.empty() ? one.name : one.name + ", " + one.host;
    // A name too long for its place has a line of its own.
    text += name.size() > kName ? fmt::format("  {}\n{:<28}", name, "")
                                : fmt::format("  {:<{}}", name, kName);
    if (!one.lost.empty()) {
      text += fmt::format(" lost: {}\n", one.lost);
      continue;
    }
    const std::optional<double>& began = one.began_s;
    const std::optional<double>& cost = one.us_cpu_per_message;
    // The names of the figures are in the JSON; here they would not fit beside the others.
    const bool some = one.verdict.starts_with("VALID FOR");
    text += fmt::format("{:>10}{:>12}{:>13}  {}\n", began ? "+" + span_of(*began) : "-",
                        format_count(one.messages), cost ? format_number(*cost) + " us" : "-",
                        some ? "VALID FOR some" : one.verdict);
  }
}

}  // namespace wiremark::report
