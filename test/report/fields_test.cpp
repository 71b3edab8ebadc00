// A figure is one member and one line of its table: every format, the sum and the schema have it.
#include "report/fields.h"

#include <doctest/doctest.h>

#include "report/csv_fields.h"
#include "report/json_fields.h"
#include "report/merge_fields.h"

namespace wiremark::report {

namespace {

struct Loop {
  std::uint64_t turns = 0;
  std::uint64_t gap_ns_max = 0;
};

struct Run {
  double seconds = 0;
  double steal_pct = 0;
  std::optional<Loop> loop = std::nullopt;
  std::optional<Loop> server_loop = std::nullopt;
};

constexpr auto fields(Of<Loop>) {
  return table("loop", "", field("turns", &Loop::turns, Unit::count, Add::sum),
               // The figure that is new: nothing but this line and its member knows of it.
               field("gap_ns_max", &Loop::gap_ns_max, Unit::ns, Add::largest, "The longest.",
                     {.max = 5'000}));
}

constexpr auto fields(Of<Run>) {
  return table(
      "run", "", constant("schema", "test/1"),
      field("seconds", &Run::seconds, Unit::seconds, Add::time),
      field("steal_pct", &Run::steal_pct, Unit::share, Add::mean),
      group("loop", field("process", &Run::loop, "", {.column = "loop_"}),
            field("server", &Run::server_loop, "", {.column = "server_loop_", .of_server = true})));
}

const Run kRun = {2, 3, Loop{10, 700}, Loop{20, 900}};
const Json kDocument = {{"schema", "test/1"},
                        {"seconds", 2.0},
                        {"steal_pct", 3.0},
                        {"loop",
                         {{"process", {{"turns", 10}, {"gap_ns_max", 700}}},
                          {"server", {{"turns", 20}, {"gap_ns_max", 900}}}}}};

std::string row_of(const Run* run) {
  std::string names;
  std::string cells;
  columns_of(run, kTable<Run>.entries, "", [&](const std::string& name, const std::string& cell) {
    names += name + " ";
    cells += cell + " ";
  });
  return names + "= " + cells;
}

}  // namespace

TEST_CASE("a new figure stands in the document and is read from it") {
  CHECK(to_json(kRun) == kDocument);
  Run again;
  CHECK(read(kDocument, again, {}, At{}) == "");
  CHECK(to_json(again) == kDocument);

  const auto reason = [](const char* place, const Json& value) {
    Json document = kDocument;
    document[Json::json_pointer(place)] = value;
    Run run;
    return read(document, run, {}, At{});
  };
  CHECK(reason("/loop/process/gap_ns_max", 5'001) ==
        "/loop/process/gap_ns_max is 5001, and must be an integer from 0 to 5000");
  CHECK(reason("/loop/process", Json{{"turns", 1}}) ==
        "/loop/process/gap_ns_max is missing, and must be an integer from 0 to 5000");
  CHECK(reason("/loop/gap_ns_max", 1) == "/loop/gap_ns_max is 1, and there is no such member");
}

TEST_CASE("a new figure has its columns, also where the run has none of it") {
  const std::string names =
      "seconds steal_pct loop_turns loop_gap_ns_max server_loop_turns server_loop_gap_ns_max = ";
  CHECK(row_of(&kRun) == names + "2 3 10 700 20 900 ");
  const Run bare;
  CHECK(row_of(&bare) == names + "0 0     ");
  CHECK(row_of(nullptr) == names + "      ");
}

TEST_CASE("a new figure is added up as its line says") {
  const Run other = {4, 6, Loop{1, 800}, Loop{25, 100}};
  const auto sum = [&](const Run& more, const Adding& adding) {
    Run all = kRun;
    add_entries(all, more, kTable<Run>.entries, adding);
    return to_json(all);
  };
  const Json at_once = sum(other, {.order = Order::at_once, .weight = 2, .weight_more = 4});
  CHECK(at_once["seconds"] == 4);
  CHECK(at_once["steal_pct"] == 5);
  CHECK(at_once["loop"]["process"] == Json{{"turns", 11}, {"gap_ns_max", 800}});
  CHECK(at_once["loop"]["server"] == Json{{"turns", 45}, {"gap_ns_max", 900}});
  CHECK(sum(other, {.order = Order::in_turn, .weight = 2, .weight_more = 4})["seconds"] == 6);
  // Both saw the same server: what it did counts once, what they did twice.
  const Json same = sum(other, {.weight = 2, .weight_more = 4, .same_server = true});
  CHECK(same["loop"]["server"] == Json{{"turns", 25}, {"gap_ns_max", 900}});
  CHECK(same["loop"]["process"]["turns"] == 11);
  CHECK(sum(Run{.loop = Loop()}, {})["loop"] ==
        Json{{"process", {{"turns", 10}, {"gap_ns_max", 700}}}});
}

TEST_CASE("a new figure stands in the schema") {
  const Json schema = Json::parse(schema_document<Run>("test/1"));
  CHECK(schema["$defs"]["loop"]["required"] == Json{"turns", "gap_ns_max"});
  CHECK(schema["$defs"]["loop"]["properties"]["gap_ns_max"] ==
        Json{{"type", "integer"},
             {"minimum", 0},
             {"maximum", 5'000},
             {"x-unit", "ns"},
             {"description", "The longest."}});
  CHECK(schema["properties"]["loop"]["properties"]["server"] == Json{{"$ref", "#/$defs/loop"}});
  CHECK(schema["required"] == Json{"schema", "seconds", "steal_pct"});
}

}  // namespace wiremark::report
