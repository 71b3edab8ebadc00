// Results as rows of one CSV file.
#include "report/csv_export.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "base/fd.h"

namespace wiremark::report {

using namespace measure;

namespace {

struct Field {
  std::string_view name;
  std::string value;
};

template <class T>
std::string text_or_none(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string joined(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

void add_latency(std::vector<Field>& fields, const LatencySummary& latency) {
  // The columns are the same for every row, whichever percentiles the run was asked to print.
  const auto histogram = restore(latency);
  const auto at = [&](double percent) {
    return fmt::format("{}", histogram ? histogram->percentile(percent) : 0);
  };
  fields.push_back({"latency_from", latency.from});
  fields.push_back({"latency_count", fmt::format("{}", latency.count)});
  fields.push_back({"latency_ns_min", fmt::format("{}", latency.min)});
  fields.push_back({"latency_ns_mean", fmt::format("{:.1f}", latency.mean)});
  fields.push_back({"latency_ns_p50", at(50)});
  fields.push_back({"latency_ns_p90", at(90)});
  fields.push_back({"latency_ns_p99", at(99)});
  fields.push_back({"latency_ns_p999", at(99.9)});
  fields.push_back({"latency_ns_p9999", at(99.99)});
  fields.push_back({"latency_ns_max", fmt::format("{}", latency.max)});
}

void add_costs(std::vector<Field>& fields, const RunResult& result) {
  const auto& server = result.server_cpu;
  fields.push_back({"user_s", fmt::format("{}", result.cpu.user_s)});
  fields.push_back({"sys_s", fmt::format("{}", result.cpu.sys_s)});
  fields.push_back({"cpu_us_per_message", fmt::format("{}", result.us_cpu_per_message())});
  fields.push_back({"server_user_s", server ? fmt::format("{}", server->user_s) : ""});
  fields.push_back({"server_sys_s", server ? fmt::format("{}", server->sys_s) : ""});
  fields.push_back({"server_cpu_us_per_message", text_or_none(result.server_us_cpu_per_message())});
  fields.push_back({"machine_busy_pct", fmt::format("{:.2f}", result.machine.busy_pct)});
  fields.push_back({"machine_softirq_pct", fmt::format("{:.2f}", result.machine.softirq_pct)});
  fields.push_back({"machine_steal_pct", fmt::format("{:.2f}", result.machine.steal_pct)});
  fields.push_back({"rss_bytes", fmt::format("{}", result.rss_bytes)});
  fields.push_back({"server_rss_bytes", text_or_none(result.server_rss_bytes)});
}

void add_packets(std::vector<Field>& fields, const std::optional<Packets>& packets) {
  const auto of = [&](std::uint64_t Packets::* part) {
    return packets ? fmt::format("{}", (*packets).*part) : std::string();
  };
  fields.push_back({"packets_in", of(&Packets::in)});
  fields.push_back({"packets_out", of(&Packets::out)});
  fields.push_back({"data_packets_in", of(&Packets::data_in)});
  fields.push_back({"data_packets_out", of(&Packets::data_out)});
}

void add_outcome(std::vector<Field>& fields, const RunResult& result) {
  const auto put = [&](std::string_view name, const auto& whole, auto part) {
    fields.push_back({name, whole ? fmt::format("{}", (*whole).*part) : std::string()});
  };
  const auto& outcome = result.outcome;
  put("outcome_planned", outcome, &Outcome::planned);
  put("outcome_sent", outcome, &Outcome::sent);
  put("outcome_answered", outcome, &Outcome::answered);
  put("outcome_lost", outcome, &Outcome::lost);
  put("outcome_late", outcome, &Outcome::late);
  put("outcome_unsent", outcome, &Outcome::unsent);
  put("pacing_behind", result.pacing, &Pacing::behind);
  put("pacing_overdue", result.pacing, &Pacing::overdue);
  const auto& datagrams = result.totals.datagrams;
  put("datagrams_in", datagrams, &Datagrams::in);
  put("datagrams_out", datagrams, &Datagrams::out);
  put("datagrams_unsent", datagrams, &Datagrams::unsent);
  put("datagrams_dropped", datagrams, &Datagrams::dropped);
  const auto& delivery = result.delivery;
  put("delivery_reordered", delivery, &Delivery::reordered);
  put("delivery_duplicated", delivery, &Delivery::duplicated);
  put("delivery_wrong", delivery, &Delivery::wrong);
}

void add_stages(std::vector<Field>& fields, const std::optional<Stages>& stages) {
  const auto histogram = stages ? restore(stages->tick) : Histogram();
  const auto put = [&](std::string_view name, std::uint64_t value) {
    fields.push_back({name, stages ? fmt::format("{}", value) : std::string()});
  };
  const Stages shown = stages.value_or(Stages());
  put("tick_ns_p50", histogram ? histogram->percentile(50) : 0);
  put("tick_ns_p99", histogram ? histogram->percentile(99) : 0);
  put("tick_ns_max", shown.tick.max);
  put("backlog_found_bytes_p99", shown.found.p99);
  put("backlog_found_bytes_max", shown.found.max);
  put("backlog_left_bytes_p99", shown.left.p99);
  put("backlog_left_bytes_max", shown.left.max);
}

std::vector<Field> fields_of(const RunResult& result) {
  std::vector<Field> fields;
  const Totals& totals = result.totals;
  fields.push_back({"started", result.started});
  fields.push_back({"tool", result.tool});
  fields.push_back({"version", result.version});
  fields.push_back({"kernel", result.host.kernel});
  fields.push_back({"cpu", result.host.cpu});
  fields.push_back({"cores", fmt::format("{}", result.host.cores_allowed)});
  fields.push_back({"requested", result.path.requested});
  fields.push_back({"active", result.path.active});
  fields.push_back({"config", joined(result.config)});
  fields.push_back({"connections", fmt::format("{}", totals.connections)});
  fields.push_back({"messages", fmt::format("{}", totals.messages)});
  fields.push_back({"bytes_in", fmt::format("{}", totals.bytes_in)});
  fields.push_back({"bytes_out", fmt::format("{}", totals.bytes_out)});
  add_packets(fields, totals.packets);
  fields.push_back({"seconds", fmt::format("{}", totals.seconds)});
  fields.push_back({"qps", fmt::format("{:.1f}", totals.qps())});
  fields.push_back({"errors", fmt::format("{}", totals.errors_sum())});
  add_latency(fields, result.latency);
  add_costs(fields, result);
  add_outcome(fields, result);
  add_stages(fields, result.stages);
  fields.push_back({"warnings", joined(result.warnings)});
  const auto& verdict = result.verdict;
  fields.push_back({"verdict", !verdict ? "" : verdict->valid() ? "VALID" : "INVALID"});
  fields.push_back({"reasons", verdict ? joined(verdict->reasons) : ""});
  fields.push_back({"interrupted", result.interrupted ? "true" : "false"});
  return fields;
}

// RFC 4180, rules 5 to 7.
std::string quoted_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + '"';
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Field& field : fields_of({})) line.append(line.empty() ? "" : ",").append(field.name);
  return line + "\n";
}

std::string csv_row(const RunResult& result) {
  std::string line;
  const char* separator = "";
  for (const Field& field : fields_of(result)) {
    line += separator + quoted_field(field.value);
    separator = ",";
  }
  return line + "\n";
}

Result<> append_csv(const std::string& path, const RunResult& result) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return failed("open", path);
  // A pipe or terminal cannot be locked and needs no lock; closing gives the lock back.
  ::flock(file.get(), LOCK_EX);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return failed("fstat", path);
  const std::string text = (status.st_size == 0 ? csv_header() : std::string()) + csv_row(result);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write", path);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace wiremark::report
