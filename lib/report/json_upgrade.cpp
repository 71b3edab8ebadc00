// A result of the schema before this one, read as one of this.
#include "report/json_upgrade.h"

#include "report/result.h"

namespace wiremark::report {

using namespace measure;

namespace {

using Json = nlohmann::ordered_json;

// The member `name`, which `document` has no more; null where it had none.
Json taken(Json& document, const char* name) {
  Json part = document.value(name, Json());
  document.erase(name);
  return part;
}

}  // namespace

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

}  // namespace wiremark::report
