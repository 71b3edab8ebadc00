// A result as the JSON document of schemas/result.schema.json.
#include "report/json_export.h"

#include <nlohmann/json.hpp>

namespace wiremark::report {

using namespace measure;

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json limit_to_json(std::uint64_t limit) { return limit == kUnlimited ? Json() : Json(limit); }

Json to_json(const Machine& host) {
  return {{"system", host.system},
          {"kernel", host.kernel},
          {"architecture", host.architecture},
          {"cpu", host.cpu},
          {"cores", host.cores_allowed},
          {"cores_online", host.cores_online},
          {"memory_bytes", host.memory_bytes},
          {"limits",
           {{"nofile_soft", limit_to_json(host.nofile_soft)},
            {"nofile_hard", limit_to_json(host.nofile_hard)},
            {"memlock_bytes", limit_to_json(host.memlock_bytes)}}},
          {"hypervisor", host.hypervisor},
          {"clocksource", host.clocksource},
          {"compiler", host.compiler},
          {"libraries", host.libraries},
          {"wake_cost_ns", host.wake_cost_ns},
          {"wake_crosses_cores", host.wake_crosses_cores}};
}

// The object of name and value pairs, in their order; also of none.
template <class Pairs>
Json object_of(const Pairs& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Json to_json(const Path& path) {
  return {{"requested", path.requested}, {"active", path.active}, {"evidence", path.evidence}};
}

// null where nothing is TCP.
Json to_json(const std::optional<Packets>& packets) {
  if (!packets) return nullptr;
  return {{"in", packets->in},
          {"out", packets->out},
          {"data_in", packets->data_in},
          {"data_out", packets->data_out}};
}

Json to_json(const Datagrams& datagrams) {
  return {{"in", datagrams.in},
          {"out", datagrams.out},
          {"unsent", datagrams.unsent},
          {"dropped", datagrams.dropped}};
}

Json to_json(const Totals& totals) {
  Json json = {{"connections", totals.connections}, {"connections_asked", totals.connections_asked},
               {"messages", totals.messages},       {"bytes_in", totals.bytes_in},
               {"bytes_out", totals.bytes_out},     {"packets", to_json(totals.packets)}};
  if (totals.datagrams) json["datagrams"] = to_json(*totals.datagrams);
  json["seconds"] = totals.seconds;
  json["qps"] = totals.qps();
  json["errors"] = object_of(totals.errors);
  json["errors_allowed"] = totals.errors_allowed;
  return json;
}

Json to_json(const LatencySummary& latency) {
  Json percentiles = Json::array();
  for (const auto& [percent, ns] : latency.percentiles)
    percentiles.push_back(Json::array({percent, ns}));
  Json counts = Json::array();
  for (const auto& [index, count] : latency.buckets) counts.push_back(Json::array({index, count}));
  return {{"count", latency.count},
          {"min", latency.min},
          {"mean", latency.mean},
          {"max", latency.max},
          {"stddev", latency.stddev},
          {"percentiles", std::move(percentiles)},
          {"from", latency.from},
          {"clamped", latency.clamped},
          {"histogram",
           {{"layout", "hdr"},
            {"lowest", 1},
            {"highest", Histogram::kHighest},
            {"significant_digits", Histogram::kSignificantDigits},
            {"counts", std::move(counts)}}}};
}

Json to_json(const CpuShare& share, double seconds) {
  return {{"user_s", share.user_s},
          {"sys_s", share.sys_s},
          {"pct", share.pct(seconds)},
          {"threads", share.threads}};
}

Json to_json(const MachineShare& share) {
  return {{"busy_pct", share.busy_pct},
          {"softirq_pct", share.softirq_pct},
          {"steal_pct", share.steal_pct}};
}

Json to_json(const Outcome& outcome) {
  return {{"planned", outcome.planned}, {"sent", outcome.sent}, {"answered", outcome.answered},
          {"lost", outcome.lost},       {"late", outcome.late}, {"unsent", outcome.unsent}};
}

Json to_json(const Pacing& pacing) {
  return {{"behind", pacing.behind}, {"overdue", pacing.overdue}};
}

Json to_json(const Delivery& delivery) {
  return {{"reordered", delivery.reordered},
          {"duplicated", delivery.duplicated},
          {"wrong", delivery.wrong}};
}

Json to_json(const ByteSummary& bytes) {
  return {{"looks", bytes.looks},
          {"mean", bytes.mean},
          {"p50", bytes.p50},
          {"p99", bytes.p99},
          {"max", bytes.max}};
}

Json to_json(const Stages& stages) {
  return {{"tick_ns", to_json(stages.tick)},
          {"backlog_found_bytes", to_json(stages.found)},
          {"backlog_left_bytes", to_json(stages.left)}};
}

Json to_json(const Interval& interval) {
  return {{"start_s", interval.start_s},
          {"seconds", interval.seconds},
          {"connections", interval.connections},
          {"messages", interval.messages},
          {"qps", interval.qps()},
          {"bytes_in", interval.bytes_in},
          {"bytes_out", interval.bytes_out},
          {"packets", to_json(interval.packets)},
          {"errors", interval.errors},
          {"p50_ns", interval.p50_ns},
          {"p99_ns", interval.p99_ns},
          {"p999_ns", interval.p999_ns},
          {"max_ns", interval.max_ns},
          {"user_s", interval.user_s},
          {"sys_s", interval.sys_s},
          {"rss_bytes", interval.rss_bytes}};
}

Json to_json(const Check& check) {
  return {{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}};
}

template <class T>
Json array_of(const std::vector<T>& items) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(to_json(item));
  return array;
}

void add_costs(Json& document, const RunResult& result) {
  const double seconds = result.totals.seconds;
  Json& cpu = document["cpu"];
  cpu["process"] = to_json(result.cpu, seconds);
  cpu["process"]["spins"] = result.spins;
  cpu["machine"] = to_json(result.machine);
  if (result.server_cpu) cpu["server"] = to_json(*result.server_cpu, seconds);
  if (const auto& distance = result.core_distance)
    document["core_distance_ns"] = {{"before", distance->before}, {"after", distance->after}};
  document["us_cpu_per_message"] = result.us_cpu_per_message();
  if (const auto cost = result.server_us_cpu_per_message())
    document["server_us_cpu_per_message"] = *cost;
  document["rss_bytes"] = {{"process", result.rss_bytes}};
  if (result.server_rss_bytes) document["rss_bytes"]["server"] = *result.server_rss_bytes;
}

Json document_of(const RunResult& result) {
  Json document;
  document["schema"] = kResultSchema;
  document["tool"] = result.tool;
  document["version"] = result.version;
  document["role"] = name_of(result.role);
  if (result.verdict)
    document["verdict"] = {{"valid", result.verdict->valid()},
                           {"reasons", result.verdict->reasons}};
  document["argv"] = result.argv;
  document["started"] = result.started;
  document["host"] = to_json(result.host);
  document["config"] = object_of(result.config);
  document["path"] = to_json(result.path);
  document["totals"] = to_json(result.totals);
  document["latency_ns"] = to_json(result.latency);
  if (result.service) document["service_ns"] = to_json(*result.service);
  if (result.lateness) document["lateness_ns"] = to_json(*result.lateness);
  if (result.connect) document["connect_ns"] = to_json(*result.connect);
  add_costs(document, result);
  if (result.outcome) document["outcome"] = to_json(*result.outcome);
  if (result.pacing) document["pacing"] = to_json(*result.pacing);
  if (result.delivery) document["delivery"] = to_json(*result.delivery);
  if (result.stages) document["stages"] = to_json(*result.stages);
  document["intervals"] = array_of(result.intervals);
  document["checks"] = array_of(result.checks);
  document["warnings"] = result.warnings;
  document["interrupted"] = result.interrupted;
  return document;
}

}  // namespace

std::string json_document(const RunResult& result) {
  // The buckets would fill thousands of lines if every number had its own.
  std::string text = "{";
  const char* separator = "\n  ";
  const Json document = document_of(result);
  for (const auto& [name, value] : document.items()) {
    text += separator + dump(name) + ": " + dump(value);
    separator = ",\n  ";
  }
  return text + "\n}\n";
}

std::string json_line(const Interval& interval) {
  Json line = {{"schema", kIntervalSchema}};
  line.update(to_json(interval));
  return dump(line) + "\n";
}

std::string json_line(const RunResult& result) { return dump(document_of(result)) + "\n"; }

}  // namespace wiremark::report
