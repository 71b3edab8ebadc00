// A result read back from its JSON document.
#include "report/json_import.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_export.h"
#include "report/json_schema.h"
#include "report/json_upgrade.h"

namespace wiremark::report {

using namespace measure;

namespace {

using Json = nlohmann::ordered_json;

std::uint64_t limit_of(const Json& limit) {
  return limit.is_null() ? kUnlimited : limit.get<std::uint64_t>();
}

Machine machine_of(const Json& host) {
  const Json& limits = host.at("limits");
  Machine machine;
  host.at("system").get_to(machine.system);
  host.at("kernel").get_to(machine.kernel);
  host.at("architecture").get_to(machine.architecture);
  host.at("cpu").get_to(machine.cpu);
  host.at("cores").get_to(machine.cores_allowed);
  host.at("cores_online").get_to(machine.cores_online);
  host.at("memory_bytes").get_to(machine.memory_bytes);
  machine.nofile_soft = limit_of(limits.at("nofile_soft"));
  machine.nofile_hard = limit_of(limits.at("nofile_hard"));
  machine.memlock_bytes = limit_of(limits.at("memlock_bytes"));
  host.at("hypervisor").get_to(machine.hypervisor);
  host.at("clocksource").get_to(machine.clocksource);
  host.at("compiler").get_to(machine.compiler);
  host.at("libraries").get_to(machine.libraries);
  host.at("wake_cost_ns").get_to(machine.wake_cost_ns);
  host.at("wake_crosses_cores").get_to(machine.wake_crosses_cores);
  return machine;
}

std::optional<Packets> packets_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Packets{.in = json.at("in"),
                 .out = json.at("out"),
                 .data_in = json.at("data_in"),
                 .data_out = json.at("data_out")};
}

Datagrams datagrams_of(const Json& json) {
  return {.in = json.at("in"),
          .out = json.at("out"),
          .unsent = json.at("unsent"),
          .dropped = json.at("dropped")};
}

Totals totals_of(const Json& json) {
  Totals totals;
  json.at("connections").get_to(totals.connections);
  json.at("connections_asked").get_to(totals.connections_asked);
  json.at("messages").get_to(totals.messages);
  json.at("bytes_in").get_to(totals.bytes_in);
  json.at("bytes_out").get_to(totals.bytes_out);
  totals.packets = packets_of(json.at("packets"));
  if (json.contains("datagrams")) totals.datagrams = datagrams_of(json.at("datagrams"));
  json.at("seconds").get_to(totals.seconds);
  json.at("errors_allowed").get_to(totals.errors_allowed);
  for (const auto& [kind, count] : json.at("errors").items())
    totals.errors.emplace_back(kind, count.get<std::uint64_t>());
  return totals;
}

LatencySummary latency_of(const Json& json) {
  LatencySummary latency;
  json.at("count").get_to(latency.count);
  json.at("min").get_to(latency.min);
  json.at("max").get_to(latency.max);
  json.at("mean").get_to(latency.mean);
  json.at("stddev").get_to(latency.stddev);
  json.at("clamped").get_to(latency.clamped);
  json.at("from").get_to(latency.from);
  for (const Json& percentile : json.at("percentiles"))
    latency.percentiles.push_back({percentile.at(0), percentile.at(1)});
  json.at("histogram").at("counts").get_to(latency.buckets);
  return latency;
}

std::optional<LatencySummary> optional_latency(const Json& document, const char* name) {
  if (!document.contains(name)) return std::nullopt;
  return latency_of(document.at(name));
}

CpuShare share_of(const Json& json) {
  return {json.at("user_s"), json.at("sys_s"), json.at("threads")};
}

Outcome outcome_of(const Json& json) {
  return {.planned = json.at("planned"),
          .sent = json.at("sent"),
          .answered = json.at("answered"),
          .lost = json.at("lost"),
          .late = json.at("late"),
          .unsent = json.at("unsent")};
}

Pacing pacing_of(const Json& json) {
  return {.behind = json.at("behind"), .overdue = json.at("overdue")};
}

Delivery delivery_of(const Json& json) {
  return {.reordered = json.at("reordered"),
          .duplicated = json.at("duplicated"),
          .wrong = json.at("wrong")};
}

ByteSummary bytes_of(const Json& json) {
  return {.looks = json.at("looks"),
          .mean = json.at("mean"),
          .p50 = json.at("p50"),
          .p99 = json.at("p99"),
          .max = json.at("max")};
}

Stages stages_of(const Json& json) {
  return {latency_of(json.at("tick_ns")), bytes_of(json.at("backlog_found_bytes")),
          bytes_of(json.at("backlog_left_bytes"))};
}

Interval interval_of(const Json& json) {
  return {.start_s = json.at("start_s"),
          .seconds = json.at("seconds"),
          .connections = json.at("connections"),
          .messages = json.at("messages"),
          .bytes_in = json.at("bytes_in"),
          .bytes_out = json.at("bytes_out"),
          .packets = packets_of(json.at("packets")),
          .errors = json.at("errors"),
          .p50_ns = json.at("p50_ns"),
          .p99_ns = json.at("p99_ns"),
          .p999_ns = json.at("p999_ns"),
          .max_ns = json.at("max_ns"),
          .user_s = json.at("user_s"),
          .sys_s = json.at("sys_s"),
          .rss_bytes = json.at("rss_bytes")};
}

Role role_of(const std::string& name) {
  for (const Role role : {Role::generator, Role::server}) {
    if (name == name_of(role)) return role;
  }
  return Role::bench;  // The schema knows no fourth.
}

void add_costs(RunResult& result, const Json& document) {
  const Json& cpu = document.at("cpu");
  const Json& memory = document.at("rss_bytes");
  result.cpu = share_of(cpu.at("process"));
  cpu.at("process").at("spins").get_to(result.spins);
  if (cpu.contains("server")) result.server_cpu = share_of(cpu.at("server"));
  const Json& machine = cpu.at("machine");
  result.machine = {machine.at("busy_pct"), machine.at("softirq_pct"), machine.at("steal_pct")};
  if (document.contains("core_distance_ns")) {
    const Json& distance = document.at("core_distance_ns");
    result.core_distance = CoreDistance{distance.at("before"), distance.at("after")};
  }
  memory.at("process").get_to(result.rss_bytes);
  if (memory.contains("server")) result.server_rss_bytes = memory.at("server");
}

RunResult result_of(const Json& document) {
  RunResult result;
  document.at("tool").get_to(result.tool);
  document.at("version").get_to(result.version);
  result.role = role_of(document.at("role"));
  document.at("argv").get_to(result.argv);
  document.at("started").get_to(result.started);
  result.host = machine_of(document.at("host"));
  for (const auto& [name, value] : document.at("config").items())
    result.config.emplace_back(name, value.get<std::string>());
  const Json& path = document.at("path");
  path.at("requested").get_to(result.path.requested);
  path.at("active").get_to(result.path.active);
  path.at("evidence").get_to(result.path.evidence);
  result.totals = totals_of(document.at("totals"));
  result.latency = latency_of(document.at("latency_ns"));
  result.service = optional_latency(document, "service_ns");
  result.lateness = optional_latency(document, "lateness_ns");
  result.connect = optional_latency(document, "connect_ns");
  add_costs(result, document);
  if (document.contains("outcome")) result.outcome = outcome_of(document.at("outcome"));
  if (document.contains("pacing")) result.pacing = pacing_of(document.at("pacing"));
  if (document.contains("delivery")) result.delivery = delivery_of(document.at("delivery"));
  if (document.contains("stages")) result.stages = stages_of(document.at("stages"));
  for (const Json& interval : document.at("intervals"))
    result.intervals.push_back(interval_of(interval));
  for (const Json& check : document.at("checks"))
    result.checks.push_back({check.at("name"), check.at("passed"), check.at("detail")});
  document.at("warnings").get_to(result.warnings);
  if (document.contains("verdict")) result.verdict = Verdict{document.at("verdict").at("reasons")};
  document.at("interrupted").get_to(result.interrupted);
  return result;
}

// Deeper documents are discarded while they are parsed: the library copies them by recursion.
Json parse_shallow(std::string_view text) {
  constexpr int kDepthMax = 16;
  return Json::parse(
      text, [](int depth, Json::parse_event_t, Json&) { return depth <= kDepthMax; }, false);
}

// Figures that are made of others, made anew: those of a histogram of its buckets.
RunResult remade(RunResult result) {
  const auto remake = [](LatencySummary& latency) {
    std::vector<double> percents;
    for (const Percentile& percentile : latency.percentiles) percents.push_back(percentile.percent);
    // The schema allows no index that the layout has not.
    latency = summarize(*restore(latency), latency.from, percents);
  };
  remake(result.latency);
  for (auto* latency : {&result.service, &result.lateness, &result.connect}) {
    if (*latency) remake(**latency);
  }
  if (result.stages) remake(result.stages->tick);
  // Pacing and delivery say more of an outcome, and nothing without it.
  if ((result.pacing || result.delivery) && !result.outcome) result.outcome.emplace();
  if (auto& outcome = result.outcome) {
    outcome->unsent = outcome->planned - outcome->sent;
    outcome->lost = outcome->sent - outcome->answered;
  }
  return result;
}

bool is_same_number(const Json& one, const Json& other) {
  if (one.is_number_integer() && other.is_number_integer()) return one == other;
  constexpr double kRounding = 1e-9;  // Another compiler may round the last bits otherwise.
  const double a = one.get<double>();
  const double b = other.get<double>();
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

// The first place where `document` is not what its own figures make `again`; empty where none is.
std::string difference(const Json& document, const Json& again, const Json::json_pointer& at) {
  constexpr const char* kMade = "the rest of the document makes it";
  if (document.is_object() && again.is_object()) {
    for (const auto& [name, value] : again.items()) {
      const auto here = at / name;
      if (!document.contains(name))
        return fmt::format("{} is missing, and {} {}", here.to_string(), kMade, quoted(value));
      if (std::string found = difference(document.at(name), value, here); !found.empty())
        return found;
    }
    for (const auto& [name, value] : document.items()) {
      if (!again.contains(name))
        return fmt::format("{} is {}, and has no place here", (at / name).to_string(),
                           quoted(value));
    }
    return {};
  }
  if (document.is_array() && again.is_array() && document.size() == again.size()) {
    for (std::size_t i = 0; i < again.size(); ++i) {
      if (std::string found = difference(document[i], again[i], at / i); !found.empty())
        return found;
    }
    return {};
  }
  const bool numbers = document.is_number() && again.is_number();
  if (numbers ? is_same_number(document, again) : document == again) return {};
  return fmt::format("{} is {}, and {} {}", at.to_string(), quoted(document), kMade, quoted(again));
}

}  // namespace

Result<RunResult> parse_result(std::string_view text) {
  Json document = parse_shallow(text);
  if (!document.is_object()) return failed("no JSON document", {}, 0);
  const auto named = document.find("schema");
  const std::string schema =
      named != document.end() && named->is_string() ? named->get<std::string>() : std::string();
  if (schema == kResultSchemaBefore) {
    upgrade_result(document);
  } else if (schema != kResultSchema) {
    return failed(fmt::format("its schema is '{}', and this reads {} and {}", schema, kResultSchema,
                              kResultSchemaBefore),
                  {}, 0);
  }
  if (document.contains("cells")) return failed("cells of codecbench cannot be added up", {}, 0);
  if (auto valid = require_result_schema(document); !valid) return std::unexpected(valid.error());
  RunResult result = result_of(document);
  const Json again = Json::parse(json_line(remade(result)));
  if (const std::string found = difference(document, again, Json::json_pointer()); !found.empty())
    return failed(found, {}, 0);
  return result;
}

}  // namespace wiremark::report
