// A JSON document held against a schema.
#include "report/json_schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/json_schema_text.h"
#include "report/result.h"

namespace wiremark::report {

using namespace measure;

namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// JSON Schema counts 1.0 as an integer.
bool is_of_type(const Json& value, const std::string& type) {
  if (type == "integer" && value.is_number_float())
    return std::trunc(value.get<double>()) == value.get<double>();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

bool has_type(const Json& types, const Json& value) {
  if (types.is_string()) return is_of_type(value, types);
  return std::ranges::any_of(types, [&](const Json& type) { return is_of_type(value, type); });
}

bool has_format(const Json& format, const Json& value) {
  return format != "date-time" || !value.is_string() ||
         format_moment(parse_moment(value)) == value.get<std::string>();
}

std::string one_of_type(const std::string& type) {
  if (type == "null") return type;
  if (type == "boolean") return "true or false";
  return (std::string("aeiou").find(type[0]) == std::string::npos ? "a " : "an ") + type;
}

// What a value may be by the keywords that kDemands names.
std::string allowed(const Json& schema) {
  if (schema.contains("const")) return schema.at("const").dump();
  if (schema.contains("enum")) return "one of " + schema.at("enum").dump();
  if (schema.contains("format")) return "a time in UTC such as \"2026-11-21T02:18:25Z\"";
  const Json& types = schema.at("type");
  std::string text = one_of_type(types.is_string() ? types : types.front());
  if (schema.contains("maximum")) {
    text += fmt::format(" from {} to {}", schema.at("minimum").dump(), schema.at("maximum").dump());
  } else if (schema.contains("minimum")) {
    text += fmt::format(" of {} or more", schema.at("minimum").dump());
  }
  if (schema.contains("minItems")) text += " of " + schema.at("minItems").dump();
  if (types.is_array()) text += " or " + one_of_type(types.back());
  return text;
}

// Keywords that ask something of the value itself.
struct Demand {
  std::string name;
  bool (*met)(const Json& demand, const Json& value);
};
const Demand kDemands[] = {
    {"type", has_type},
    {"const", [](const Json& only, const Json& value) { return value == only; }},
    {"enum",
     [](const Json& all, const Json& value) { return std::ranges::find(all, value) != all.end(); }},
    {"format", has_format},
    {"minimum",
     [](const Json& least, const Json& value) { return !value.is_number() || value >= least; }},
    {"maximum",
     [](const Json& most, const Json& value) { return !value.is_number() || value <= most; }},
    {"minItems", [](const Json& least,
                    const Json& value) { return !value.is_array() || value.size() >= least; }},
    {"maxItems",
     [](const Json& most, const Json& value) { return !value.is_array() || value.size() <= most; }},
};

// Those that say where other schemas hold, what must be there, or nothing about the value.
constexpr const char* kOtherKeywords[] = {
    "$comment",    "$defs",    "$id",         "$ref",       "$schema",  "additionalProperties",
    "description", "items",    "prefixItems", "properties", "required", "title",
    "x-at-most",   "x-follows"};

class Schema {
 public:
  explicit Schema(const char* text) : root_(Json::parse(text)) {}

  std::string wrong(const Json& document) const { return wrong(root_, document, Pointer()); }

 private:
  std::string wrong(const Json& schema, const Json& value, const Pointer& at) const;
  std::string wrong_member(const Json& schema, const Json& object, const Pointer& at) const;
  std::string wrong_item(const Json& schema, const Json& array, const Pointer& at) const;

  const Json& resolved(const Json& schema) const {
    if (!schema.contains("$ref")) return schema;
    return root_.at(Pointer(schema.at("$ref").get<std::string>().substr(1)));
  }

  Json root_;
};

// x-at-most: {"part": "whole"}.
std::string wrong_part(const Json& pairs, const Json& object, const Pointer& at) {
  for (const auto& [part, whole] : pairs.items()) {
    const std::string limit = whole;
    if (object.at(part) > object.at(limit)) {
      return fmt::format("{} is {}, and must be at most {}, which is {}", (at / part).to_string(),
                         quoted(object.at(part)), (at / limit).to_string(),
                         quoted(object.at(limit)));
    }
  }
  return {};
}

// x-follows: ["start", "length"].
std::string wrong_order(const Json& names, const Json& array, const Pointer& at) {
  constexpr double kRoundingS = 1e-6;  // Start and length were rounded each for itself.
  const std::string start = names[0];
  const std::string length = names[1];
  for (std::size_t i = 1; i < array.size(); ++i) {
    const Json& before = array[i - 1];
    const double end = before.at(start).get<double>() + before.at(length).get<double>();
    if (array[i].at(start).get<double>() + kRoundingS >= end) continue;
    return fmt::format("{} is {}, and must be at least {}, where the one before it ends",
                       (at / i / start).to_string(), quoted(array[i].at(start)), end);
  }
  return {};
}

std::string Schema::wrong_member(const Json& schema, const Json& object, const Pointer& at) const {
  const Json none = Json::object();
  const Json& known = schema.contains("properties") ? schema.at("properties") : none;
  if (schema.contains("required")) {
    for (const std::string name : schema.at("required")) {
      if (object.contains(name)) continue;
      return fmt::format("{} is missing, and must be {}", (at / name).to_string(),
                         allowed(resolved(known.at(name))));
    }
  }
  const Json& others = schema.at("additionalProperties");
  for (const auto& [name, member] : object.items()) {
    if (!known.contains(name) && others == false) {
      return fmt::format("{} is {}, and there is no such member", (at / name).to_string(),
                         quoted(member));
    }
    const Json& of_member = known.contains(name) ? known.at(name) : others;
    if (std::string found = wrong(of_member, member, at / name); !found.empty()) return found;
  }
  return schema.contains("x-at-most") ? wrong_part(schema.at("x-at-most"), object, at) : "";
}

std::string Schema::wrong_item(const Json& schema, const Json& array, const Pointer& at) const {
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Json& of_item =
        schema.contains("items") ? schema.at("items") : schema.at("prefixItems").at(i);
    if (std::string found = wrong(of_item, array[i], at / i); !found.empty()) return found;
  }
  return schema.contains("x-follows") ? wrong_order(schema.at("x-follows"), array, at) : "";
}

std::string Schema::wrong(const Json& schema, const Json& value, const Pointer& at) const {
  if (schema.contains("$ref")) return wrong(resolved(schema), value, at);
  for (const auto& [keyword, demand] : schema.items()) {
    const auto known = std::ranges::find(kDemands, keyword, &Demand::name);
    if (known == std::end(kDemands)) {
      if (std::ranges::find(kOtherKeywords, keyword) == std::end(kOtherKeywords))
        return fmt::format("{} has the keyword {}, which is not read", at.to_string(), keyword);
    } else if (!known->met(demand, value)) {
      return fmt::format("{} is {}, and must be {}", at.to_string(), quoted(value),
                         allowed(schema));
    }
  }
  if (value.is_object()) return wrong_member(schema, value, at);
  if (value.is_array()) return wrong_item(schema, value, at);
  return {};
}

}  // namespace

std::string quoted(const Json& value) {
  constexpr std::size_t kLengthMax = 60;
  if (value.is_structured()) return fmt::format("an {} of {}", value.type_name(), value.size());
  const std::string text = value.dump(-1, ' ', true);
  return text.size() <= kLengthMax ? text : text.substr(0, kLengthMax) + "...";
}

Result<> require_result_schema(const Json& document) {
  static const Schema schema(kResultSchemaText);
  const std::string wrong = schema.wrong(document);
  if (wrong.empty()) return {};
  return failed(wrong, {}, 0);
}

}  // namespace wiremark::report
