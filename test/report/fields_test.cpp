// A figure is one member and one line of its table: every format, the sum and the schema have it.
#include "report/fields.h"

#include <doctest/doctest.h>

#include "report/adding.h"
#include "report/csv.h"
#include "report/shape.h"

namespace wiremark::report {

namespace {

struct Turning {
  std::uint64_t turns = 0;
  std::uint64_t gap_ns_max = 0;

  void fields(auto& f) {
    f.table("loop", "");
    f("turns", turns, kCounted);
    // The figure that is new: nothing but this line and its member knows of it.
    f("gap_ns_max", gap_ns_max, {Unit::ns, Add::largest}, "The longest.", {.max = 5'000});
  }
};

struct Run {
  double seconds = 0;
  double steal_pct = 0;
  std::optional<Turning> loop = std::nullopt;
  std::optional<Turning> server_loop = std::nullopt;

  void fields(auto& f) {
    f.table("run", "");
    f.constant("schema", "test/1");
    f("seconds", seconds, {Unit::seconds, Add::time});
    f("steal_pct", steal_pct, {Unit::share, Add::mean});
    f("loop/process", loop, "", {.column = "loop_"});
    f("loop/server", server_loop, "", {.column = "server_loop_", .of_server = true});
  }
};

const Run kRun = {2, 3, Turning{10, 700}, Turning{20, 900}};
const Json kDocument = {{"schema", "test/1"},
                        {"seconds", 2.0},
                        {"steal_pct", 3.0},
                        {"loop",
                         {{"process", {{"turns", 10}, {"gap_ns_max", 700}}},
                          {"server", {{"turns", 20}, {"gap_ns_max", 900}}}}}};

std::string csv_of(const Run& run) {
  return csv_header(shape_of<Run>()) + csv_rows(shape_of<Run>(), to_json(run, Form::row));
}

}  // namespace

TEST_CASE("a new figure stands in the document and is read from it") {
  CHECK(to_json(kRun) == kDocument);
  Run again;
  CHECK(read_document(kDocument, again) == "");
  CHECK(to_json(again) == kDocument);

  const auto reason = [](const char* place, const Json& value) {
    Json document = kDocument;
    document[Json::json_pointer(place)] = value;
    Run run;
    return read_document(document, run);
  };
  CHECK(reason("/loop/process/gap_ns_max", 5'001) ==
        "/loop/process/gap_ns_max is 5001, and must be an integer from 0 to 5000");
  CHECK(reason("/loop/process", Json{{"turns", 1}}) ==
        "/loop/process/gap_ns_max is missing, and must be an integer from 0 to 5000");
  CHECK(reason("/loop/gap_ns_max", 1) == "/loop/gap_ns_max is 1, and there is no such member");
}

TEST_CASE("a new figure has its columns, also where the run has none of it") {
  const std::string names =
      "seconds,steal_pct,loop_turns,loop_gap_ns_max,server_loop_turns,server_loop_gap_ns_max\n";
  CHECK(csv_of(kRun) == names + "2,3,10,700,20,900\n");
  CHECK(csv_of(Run()) == names + "0,0,,,,\n");
}

TEST_CASE("a new figure is added up as its line says") {
  const Run other = {4, 6, Turning{1, 800}, Turning{25, 100}};
  const auto sum = [&](const Run& more, const Adding& adding) {
    Run all = kRun;
    add_fields(all, more, adding);
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
  CHECK(sum(Run{.loop = Turning()}, {})["loop"] ==
        Json{{"process", {{"turns", 10}, {"gap_ns_max", 700}}}});
}

TEST_CASE("a new figure stands in the schema") {
  const Json schema = Json::parse(schema_document(shape_of<Run>()));
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
