// A table as JSON Schema.
#include <cstddef>
#include <utility>

#include "report/shape.h"

namespace wiremark::report {

namespace {

constexpr const char* kUnitNames[] = {"",  "",    "count", "bytes", "ns",       "us",          "us",
                                      "s", "1/s", "MB/s",  "%",     "% of all", "% of a core", ""};

Json schema_of(const Shape& shape, Json& definitions);

// The parts of an object, without the braces around it.
Json object_schema(const Shape& shape, Json& definitions) {
  Json schema = {{"type", "object"}, {"additionalProperties", false}};
  for (const Shape& part : shape.parts) {
    if (part.source == Source::column) continue;
    Json& property = schema["properties"][part.name] = schema_of(part, definitions);
    if (*part.help != '\0') property["description"] = part.help;
    if (part.required && !part.together) schema["required"].push_back(part.name);
  }
  return schema;
}

Json row_schema(const Shape& shape, Json& definitions) {
  Json items = Json::array();
  for (const Shape& part : shape.parts) items.push_back(schema_of(part, definitions));
  Json schema = {{"type", "array"}, {"minItems", items.size()}};
  if (shape.repeats)
    schema["items"] = items.back();
  else
    schema["maxItems"] = items.size();
  schema["prefixItems"] = std::move(items);
  return schema;
}

Json table_schema(const Shape& shape, Json& definitions) {
  Json schema = Json::object();
  if (*shape.about != '\0') schema["description"] = shape.about;
  schema.update(shape.kind == Kind::row ? row_schema(shape, definitions)
                                        : object_schema(shape, definitions));
  return schema;
}

Json reference_to(const Shape& shape, Json& definitions) {
  if (!definitions.contains(shape.table)) {
    definitions[shape.table] = Json();  // Its place is before those of its parts.
    definitions[shape.table] = table_schema(shape, definitions);
  }
  return {{"$ref", std::string("#/$defs/") + shape.table}};
}

std::string id_of(std::string document) {
  for (const char separator : {'.', '/'}) std::ranges::replace(document, separator, ':');
  return "urn:" + document;
}

Json figure_schema(const Shape& shape) {
  constexpr const char* kTypes[] = {"integer", "number", "string", "boolean"};
  const char* type = kTypes[static_cast<std::size_t>(shape.kind)];
  Json schema = {{"type", type}};
  if (shape.null) schema["type"] = {type, "null"};
  if (shape.unit == Unit::moment) schema["format"] = "date-time";
  if (shape.kind == Kind::number && shape.unit != Unit::us_either_way) schema["minimum"] = 0;
  if (shape.kind == Kind::number && shape.unit == Unit::share) schema["maximum"] = 100;
  if (shape.kind == Kind::integer) schema.update({{"minimum", shape.min}, {"maximum", shape.max}});
  if (const char* unit = kUnitNames[static_cast<std::size_t>(shape.unit)]; *unit != '\0')
    schema["x-unit"] = unit;
  return schema;
}

Json schema_of(const Shape& shape, Json& definitions) {
  if (!shape.document.empty())
    return {{"$ref", id_of(shape.document)}};  // It has a file of its own.
  if (shape.kind == Kind::choice) return {{"enum", shape.only}};
  if (!shape.only.is_null()) return {{"const", shape.only}};
  if (shape.kind == Kind::map)
    return {{"type", "object"}, {"additionalProperties", schema_of(shape.parts[0], definitions)}};
  if (shape.kind == Kind::list) {
    Json schema = {{"type", "array"}, {"items", schema_of(shape.parts[0], definitions)}};
    if (shape.min > 0) schema["minItems"] = shape.min;
    return schema;
  }
  if (shape.kind != Kind::object && shape.kind != Kind::row) return figure_schema(shape);
  Json schema = shape.table ? reference_to(shape, definitions) : object_schema(shape, definitions);
  if (!shape.null) return schema;
  return {{"anyOf", {schema, {{"type", "null"}}}}};
}

}  // namespace

std::string schema_document(const Shape& shape) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", id_of(shape.document)},
                 {"title", shape.document}};
  Json definitions = Json::object();
  schema.update(table_schema(shape, definitions));
  schema["$defs"] = std::move(definitions);
  return schema.dump(1) + "\n";
}

}  // namespace wiremark::report
