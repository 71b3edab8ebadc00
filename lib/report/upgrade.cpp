// Documents of schemas before, read as those of now.
#include "report/upgrade.h"

#include "report/result.h"

namespace wiremark::report {

namespace {

using Json = nlohmann::ordered_json;

// The member `name`, which `document` has no more; null where it had none.
Json taken(Json& document, const char* name) {
  Json part = document.value(name, Json());
  document.erase(name);
  return part;
}

void upgrade_result(Json& document) {
  document["schema"] = kResultSchema;
  const Json plan = taken(document, "plan");
  const Json delivery = taken(document, "delivery");
  const auto of = [](const Json& part, const char* name) {
    return part.is_object() ? part.value(name, Json()) : Json();
  };
  if (!plan.is_null()) {
    document["pacing"] = {{"behind", of(plan, "late")}, {"overdue", of(plan, "overdue")}};
    document["outcome"] = {{"planned", of(plan, "planned")},
                           {"sent", of(plan, "sent")},
                           {"answered", of(plan, "answered")},
                           {"lost", of(plan, "lost")},
                           {"late", 0},
                           {"unsent", of(plan, "unsent")}};
  }
  if (delivery.is_null()) return;
  document["delivery"] = {{"reordered", of(delivery, "reordered")},
                          {"duplicated", of(delivery, "duplicated")},
                          {"wrong", of(delivery, "wrong")}};
  Json& outcome = document["outcome"];
  if (plan.is_null()) outcome = {{"planned", of(delivery, "sent")}, {"unsent", 0}};
  for (const char* name : {"sent", "answered", "lost", "late"}) outcome[name] = of(delivery, name);
}

// Rows that were refused had no figures, the first ones no repeats, and the method was told in
// words of the text alone.
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
  const Json schema = document.value("schema", Json());
  if (schema == kResultSchemaBefore) upgrade_result(document);
  if (document.contains("cells") && document.value("schema", Json()) == kResultSchema)
    upgrade_codecs(document);
}

}  // namespace wiremark::report
