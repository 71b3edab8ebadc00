// A result as a JSON document: written, read back, and its schema, all by result_fields.h.
#include "report/json.h"

#include <fmt/core.h>

#include "report/json_document.h"
#include "report/json_upgrade.h"

namespace wiremark::report {

namespace {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Wrong wrong_whole(const RunResult& result, const Json& document, const At& at) {
  if ((result.pacing || result.delivery) && !result.outcome)
    return differs(document, {{"outcome", to_json(Outcome())}}, at);
  constexpr double kRoundingS = 1e-6;  // Start and length were rounded each for itself.
  for (std::size_t i = 1; i < result.intervals.size(); ++i) {
    const Interval& before = result.intervals[i - 1];
    const double end = before.start_s + before.seconds;
    if (result.intervals[i].start_s + kRoundingS >= end) continue;
    return fmt::format(
        "{}/intervals/{}/start_s is {}, and must be at least {}, where the one before it ends",
        at.text(), i, result.intervals[i].start_s, end);
  }
  return {};
}

Json parse_shallow(std::string_view text) {
  constexpr int kDepthMax = 16;
  const Json document = Json::parse(
      text, [](int depth, Json::parse_event_t, Json&) { return depth <= kDepthMax; }, false);
  return document.is_discarded() ? Json() : document;
}

std::string json_document(const RunResult& result) {
  // The buckets would fill thousands of lines if every number had its own.
  std::string text = "{";
  const char* separator = "\n  ";
  const Json document = to_json(result);
  for (const auto& [name, value] : document.items()) {
    text += separator + dump(name) + ": " + dump(value);
    separator = ",\n  ";
  }
  return text + "\n}\n";
}

std::string json_line(const RunResult& result) { return dump(to_json(result)) + "\n"; }

std::string json_line(const Interval& interval) {
  return dump(to_json(IntervalLine{interval})) + "\n";
}

Result<RunResult> parse_result(std::string_view text) { return read_result(parse_shallow(text)); }

Result<RunResult> read_result(Json document) {
  if (!document.is_object()) return failed("no JSON document", {}, 0);
  const Json named = document.value("schema", Json());
  if (named == kResultSchemaBefore) upgrade_result(document);
  if (document.value("schema", Json()) != kResultSchema) {
    return failed(fmt::format("its schema is '{}', and this reads {} and {}",
                              named.is_string() ? named.get<std::string>() : "", kResultSchema,
                              kResultSchemaBefore),
                  {}, 0);
  }
  if (document.contains("cells")) return failed("cells of codecbench cannot be added up", {}, 0);
  RunResult result;
  const Wrong wrong = read(document, result, {}, At{});
  if (!wrong.empty()) return failed(wrong, {}, 0);
  return result;
}

template Json to_json<RunResult>(const RunResult& value);
template Wrong read<RunResult>(const Json& json, RunResult& value, const Facts& facts,
                               const At& at);

}  // namespace wiremark::report
