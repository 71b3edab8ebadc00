// Documents of schemas before, read as those of now.
#include "report/upgrade.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "report/shape.h"
#include "report/study.h"

namespace wiremark::report {

// Made in json.cpp.
extern template const Type& type_of<RunResult>();

namespace {

using Json = nlohmann::ordered_json;

// The member `name`, which `object` has no more; null where it had none.
Json taken(Json& object, const char* name) {
  Json part = object.value(name, Json());
  object.erase(name);
  return part;
}

// The object `name`; what is none stays where it is, for the table to refuse.
Json taken_object(Json& document, const char* name) {
  return document.contains(name) && document[name].is_object() ? taken(document, name) : Json();
}

// [[7, 2], [8, 3]] becomes [[7, 2, 3]].
Json joined(const Json& counts) {
  Json runs = Json::array();
  std::uint64_t next = 0;
  for (const Json& bucket : counts) {
    const bool well_formed = bucket.is_array() && bucket.size() == 2 &&
                             bucket.front().is_number_unsigned() && bucket.back().is_number();
    if (!well_formed || runs.empty() || bucket.front() != next)
      runs.push_back(bucket);
    else
      runs.back().push_back(bucket.back());
    next = well_formed ? bucket.front().get<std::uint64_t>() + 1 : 0;
  }
  return runs;
}

void join_buckets(Json& part) {
  if (!part.is_structured()) return;
  if (part.is_object() && part.contains("histogram") && part["histogram"].is_object()) {
    Json& histogram = part["histogram"];
    if (Json counts = taken(histogram, "counts"); counts.is_array())
      histogram["runs"] = joined(counts);
  }
  for (Json& inner : part) join_buckets(inner);
}

bool is_zero(const Json& object, const char* name) {
  const auto figure = object.find(name);
  return figure != object.end() && figure->is_number() && *figure == 0;
}

bool has_unanswered(const Json& latency) {
  return latency.is_object() && latency.contains("unanswered") &&
         latency["unanswered"].is_number() && !is_zero(latency, "unanswered");
}

// Earlier documents have the mean, deviation and maximum of the answered where others were not.
void leave_out_extremes(Json& latency) {
  if (!has_unanswered(latency)) return;
  for (const char* name : {"mean", "max", "stddev"}) {
    if (const auto figure = latency.find(name); figure != latency.end() && figure->is_number())
      *figure = nullptr;
  }
}

// A cost of 0 in earlier results was that of no message.
void leave_out_costs(Json& result) {
  if (is_zero(result, "us_cpu_per_message")) result["us_cpu_per_message"] = nullptr;
  if (is_zero(result, "server_us_cpu_per_message")) result.erase("server_us_cpu_per_message");
}

constexpr std::pair<const char*, FigureOf> kOfRounds[] = {
    {"p50_ns", p50_ns_of},
    {"server_us_cpu_per_message", server_cost_of},
    {"us_cpu_per_message", client_cost_of},
    {"server_kernel_pct", kernel_pct_of}};

// Earlier studies took a figure that a round lacks for 0, and percentiles of the answered alone.
void make_figures_again(Json& part) {
  const bool lost = std::ranges::any_of(part["rounds"], [](const Json& round) {
    return round.is_object() && round.contains("latency_ns") && has_unanswered(round["latency_ns"]);
  });
  std::vector<std::pair<const char*, FigureOf>> earlier;
  std::ranges::copy_if(kOfRounds, std::back_inserter(earlier), [&](const auto& figure) {
    const auto spread = part.find(figure.first);
    return spread != part.end() && spread->is_object() &&
           (is_zero(*spread, "min") || (lost && figure.second == p50_ns_of));
  });
  if (earlier.empty()) return;
  Rounds rounds;
  for (const Json& round : part["rounds"])
    if (!read_document(round, rounds.emplace_back()).empty()) return;
  for (const auto& [name, figure] : earlier) {
    const auto again = spread_of(rounds, figure);
    if (!again || figure == p50_ns_of) part[name] = to_json(again);
  }
}

void upgrade_plan(Json& document) {
  if (Json outcome = taken_object(document, "plan"); !outcome.is_null()) {
    document["pacing"] = {{"behind", taken(outcome, "late")},
                          {"overdue", taken(outcome, "overdue")}};
    outcome["late"] = 0;
    document["outcome"] = std::move(outcome);
  }
  if (Json delivery = taken_object(document, "delivery"); !delivery.is_null()) {
    Json& outcome = document["outcome"];
    if (outcome.is_null()) outcome = {{"planned", delivery.value("sent", Json())}, {"unsent", 0}};
    for (const char* name : {"sent", "answered", "lost", "late"})
      outcome[name] = taken(delivery, name);
    document["delivery"] = std::move(delivery);
  }
}

// In these documents refused rows had no figures, the oldest rows no repeats, and the method stood
// in the text output alone.
void upgrade_codecs(Json& document) {
  Json cells = taken(document, "cells");
  for (Json& cell : cells) {
    if (!cell.is_object()) continue;
    cell.emplace("repeats_ns", Json::array());
    if (!cell.contains("refused")) continue;
    for (const char* figure :
         {"operations", "batches", "batch_operations", "ns_min", "ns_p50", "ns_p99", "spread_pct",
          "qps", "mb_per_s", "wire_bytes", "cpu_user_ns", "cpu_sys_ns"})
      cell.emplace(figure, 0);
    for (const char* figure : {"allocations", "instructions", "cycles"})
      cell.emplace(figure, Json());
  }
  document = {{"schema", "wiremark.codecs/1"},
              {"run", std::move(document)},
              {"view", "cells"},
              {"verbose", false},
              {"in_use", "not told"},
              {"method", "not told"},
              {"contents", "not told"},
              {"uncounted", ""},
              {"cells", std::move(cells)},
              {"parallel", Json::array()}};
}

}  // namespace

void upgrade(Json& document) {
  if (!document.is_structured()) return;
  if (document.is_object()) {
    const Json schema = document.value("schema", Json());
    if (std::ranges::find(kResultSchemasBefore, schema) != std::end(kResultSchemasBefore)) {
      document["schema"] = kResultSchema;
      if (schema == kResultSchemasBefore[0]) upgrade_plan(document);
      join_buckets(document);
      if (document.contains("cells")) upgrade_codecs(document);
    }
    leave_out_extremes(document);
    if (document.value("schema", Json()) == kResultSchema) leave_out_costs(document);
  }
  for (Json& part : document) upgrade(part);
  if (document.is_object() && document.contains("rounds") && document["rounds"].is_array())
    make_figures_again(document);
}

}  // namespace wiremark::report
