// Documents that the schema, or their own figures, forbid are refused, with the place and the
// value.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "report/json.h"
#include "report/verdict.h"

#include "documents.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

using Pointer = Json::json_pointer;

// Every part that a document can have, and few enough buckets to be read a thousand times.
Json whole_document() {
  Histogram latency;
  latency.record(3'000'000);
  latency.record_many(50'000, 990);
  latency.record_many(90'000, 9);
  RunResult result = sample_result();
  const RunResult datagrams = sample_of_datagrams();
  result.latency = summarize(latency, "schedule");
  result.least = result.latency;
  result.totals.datagrams = datagrams.totals.datagrams;
  result.outcome = datagrams.outcome;
  result.delivery = datagrams.delivery;
  result.intervals.push_back(result.intervals.front());
  result.intervals.back().start_s = 1;
  pass_verdict(result);
  return Json::parse(json_document(result));
}

struct Row {
  const char* place;
  Json value;
  std::string reason;
};

void check_refused(const std::vector<Row>& rows) {
  const Json whole = whole_document();
  REQUIRE(reason_against(whole) == "");
  for (const auto& [place, value, reason] : rows) {
    Json document = whole;
    document[Pointer(place)] = value;
    CHECK(reason_against(document) == place + (" is " + reason));
  }
}

}  // namespace

TEST_CASE("a value that the schema forbids is refused, with its place and what is allowed") {
  const std::string count = "an integer from 0 to 9007199254740991";
  check_refused({
      {"/cpu/machine/busy_pct", 250, "250, and must be a number from 0 to 100"},
      {"/cpu/machine/steal_pct", -0.5, "-0.5, and must be a number from 0 to 100"},
      {"/latency_ns/percentiles/1/0", 500, "500, and must be a number from 0 to 100"},
      {"/latency_ns/percentiles/1", {50}, "an array of 1, and must be an array of 2"},
      {"/latency_ns/percentiles/1", {50, 1, 1}, "an array of 3, and must be an array of 2"},
      {"/latency_ns/histogram/runs/0/0", 40'000, "40000, and must be an integer from 0 to 33791"},
      {"/latency_ns/histogram/runs/0", {40}, "an array of 1, and must be an array of 2 or more"},
      {"/latency_ns/histogram/runs/0/2", "x",
       "\"x\", and must be an integer from 1 to 9007199254740991"},
      {"/latency_ns/histogram/runs/0/1", 0, "0, and must be an integer from 1 to 9007199254740991"},
      {"/latency_ns/histogram/significant_digits", 2, "2, and must be 3"},
      {"/totals/messages", -5, "-5, and must be " + count},
      {"/cpu/process/threads", 4'294'967'297,
       "4294967297, and must be an integer from 0 to 4294967295"},
      {"/totals/messages", 1e300, "1e+300, and must be " + count},
      {"/totals/messages", 1.5, "1.5, and must be " + count},
      {"/totals/messages", true, "true, and must be " + count},
      {"/totals/errors/timeout", "many", "\"many\", and must be " + count},
      {"/totals/seconds", nullptr, "null, and must be a number of 0 or more"},
      {"/totals/packets", 7, "7, and must be an object or null"},
      {"/host/limits/nofile_soft", -1,
       "-1, and must be an integer from 0 to 9223372036854775807 or null"},
      {"/config/rate", 200, "200, and must be a string"},
      {"/interrupted", 0, "0, and must be true or false"},
      {"/role", "judge", "\"judge\", and must be one of [\"generator\",\"server\",\"bench\"]"},
      {"/started", "2026-11-31T02:18:25Z",
       "\"2026-11-31T02:18:25Z\", and must be a time in UTC such as \"2026-11-21T02:18:25Z\""},
      {"/outcome/hurried", 1, "1, and there is no such member"},
      {"/outcome/a~1b", std::string(100, 'x'),
       "\"" + std::string(59, 'x') + "..., and there is no such member"},
  });
}

TEST_CASE("figures that contradict one another are refused, with both") {
  const std::size_t index = Histogram::index_of(50'000);
  const std::size_t last = Histogram::index_of(3'000'000);
  const std::string made = ", and the rest of the document makes it ";
  check_refused({
      {"/totals/qps", 7, "7" + made + "20000.0"},
      {"/cpu/process/pct", 250, "250" + made + "50.0"},
      {"/us_cpu_per_message", 1, "1" + made + "25.0"},
      {"/latency_ns/count", 1'001, "1001" + made + "1000"},
      {"/latency_ns/min", 1, "1" + made + "49984"},
      {"/latency_ns/max", 9'000'000, "9000000" + made + "3000319"},
      {"/latency_ns/percentiles/0/1", 90'000, "90000" + made + "50015"},
      {"/latency_ns/histogram/runs",
       {{index, 900}, {index, 90}, {Histogram::index_of(90'000), 9}, {last, 1}},
       "an array of 4" + made + "an array of 3"},
      {"/stages/tick_ns/mean", 1, "1" + made + "120032.0"},
      {"/outcome/unsent", 3, "3" + made + "0"},
      {"/outcome/lost", 2'006, "2006" + made + "2007"},
      {"/outcome/sent", 202'008, "202008, and must be at most /outcome/planned, which is 202007"},
      {"/outcome/answered", 202'008, "202008, and must be at most /outcome/sent, which is 202007"},
      {"/outcome/late", 2'008, "2008, and must be at most /outcome/lost, which is 2007"},
      {"/verdict/valid", true, "true" + made + "false"},
      {"/latency_ns/clamped", 1'001, "1001, and must be at most /latency_ns/count, which is 1000"},
      {"/intervals/1/p99_ns", 130'001,
       "130001, and must be at most /intervals/1/p999_ns, which is 130000"},
      {"/intervals/1/start_s", 0.5, "0.5, and must be at least 1, where the one before it ends"},
      {"/intervals/0/schema", "wiremark.interval/1",
       "\"wiremark.interval/1\", and there is no such member"},
  });
}

TEST_CASE("what says more of an outcome is refused without it") {
  for (const char* part : {"pacing", "delivery"}) {
    Json document = whole_document();
    for (const char* name : {"outcome", "pacing", "delivery"}) {
      if (name != std::string(part)) document.erase(name);
    }
    CHECK(reason_against(document) ==
          std::string("/outcome is missing, and /") + part + " needs it");
  }
}

TEST_CASE("documents that the tools have written before are read") {
  for (const char* name : {"open_loop", "closed_loop", "datagrams", "staged_server"}) {
    CAPTURE(name);
    const Json document = document_of(name);
    const auto result = parse_result(document.dump());
    REQUIRE_MESSAGE(result.has_value(), result.error().message());
    // Members may have moved, and none may be lost.
    const auto again = with_buckets(nlohmann::json::parse(json_document(*result)));
    CHECK(again.flatten().size() == document.flatten().size());
    CHECK(again == nlohmann::json(document));
  }
}

TEST_CASE("a document of wiremark.result/1 is read, with its plan and delivery as they are now") {
  const Json plan = {{"planned", 210'000}, {"sent", 202'007}, {"unsent", 7'993},    {"late", 12},
                     {"overdue", 5},       {"lost", 2'007},   {"answered", 200'000}};
  const Json delivery = {{"sent", 202'007}, {"answered", 200'000}, {"lost", 2'007}, {"late", 4},
                         {"reordered", 5},  {"duplicated", 3},     {"wrong", 6}};
  const auto read = [](const Json& plan_then, const Json& delivery_then) {
    Json document = whole_document();
    document["schema"] = "wiremark.result/1";
    for (const char* name : {"outcome", "pacing", "delivery"}) document.erase(name);
    if (!plan_then.is_null()) document["plan"] = plan_then;
    if (!delivery_then.is_null()) document["delivery"] = delivery_then;
    return parse_result(document.dump());
  };
  const auto now = [&](const Json& plan_then, const Json& delivery_then) {
    const auto result = read(plan_then, delivery_then);
    REQUIRE(result.has_value());
    const Json all = Json::parse(json_document(*result));
    CHECK(all["schema"] == "wiremark.result/3");
    Json parts = Json::array();
    for (const char* name : {"outcome", "pacing", "delivery"})
      parts.push_back(all.contains(name) ? all[name] : Json());
    return parts;
  };
  const auto outcome = [](std::uint64_t planned, std::uint64_t late, std::uint64_t unsent) {
    return Json{{"planned", planned}, {"sent", 202'007}, {"answered", 200'000},
                {"lost", 2'007},      {"late", late},    {"unsent", unsent}};
  };
  const Json pacing = {{"behind", 12}, {"overdue", 5}};
  const Json rest = {{"reordered", 5}, {"duplicated", 3}, {"wrong", 6}};
  CHECK(now(plan, delivery) == Json{outcome(210'000, 4, 7'993), pacing, rest});
  CHECK(now(plan, {}) == Json{outcome(210'000, 0, 7'993), pacing, {}});
  CHECK(now({}, delivery) == Json{outcome(202'007, 4, 0), {}, rest});
  CHECK(now({}, {}) == Json{{}, {}, {}});

  const auto reason = [&](const Json& plan_then, const Json& delivery_then) {
    return read(plan_then, delivery_then).error().message();
  };
  CHECK(reason(7, {}) == "/plan is 7, and there is no such member");
  CHECK(reason(Json::object(), {}).starts_with("/outcome/planned is missing, and must be"));
  CHECK(reason({}, Json::array()) == "/delivery is an array of 0, and must be an object");
  CHECK(reason({}, Json::object()).starts_with("/outcome/planned is null, and must be"));
  Json lost = plan;
  lost["lost"] = 1;
  CHECK(read(lost, {}).error().message() ==
        "/outcome/lost is 1, and the rest of the document makes it 2007");
}

TEST_CASE("no place of a document takes -1, and one that misses a part is whole without it") {
  const Json whole = whole_document();
  int refused = 0;
  const Json places = whole.flatten();  // The schema's name is judged before all others.
  for (const auto& [place, value] : places.items()) {
    if (place == "/schema") continue;
    CAPTURE(place);
    Json document = whole;
    document[Pointer(place)] = -1;
    CHECK(reason_against(document).starts_with(place + " is -1, and must be "));
    document = whole;
    Json& parent = document[Pointer(place).parent_pointer()];
    const std::string name = Pointer(place).back();
    if (parent.is_array()) {
      parent.erase(std::stoul(name));
    } else {
      parent.erase(name);
    }
    const auto read = parse_result(document.dump());
    refused += !read;
    if (read) CHECK(Json::parse(json_document(*read)) == document);
  }
  CHECK(refused > 100);
}
