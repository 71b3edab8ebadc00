// Documents as JSON: written, read back, and their schemas, all by their tables of fields.
#include "report/json.h"

#include <fmt/format.h>

#include <optional>
#include <type_traits>
#include <utility>

#include "report/adding.h"
#include "report/codec_fields.h"
#include "report/machine_fields.h"
#include "report/printable.h"
#include "report/shape.h"
#include "report/upgrade.h"

namespace wiremark::report {

// What adds these up takes their types from here, for they take seconds to compile.
template const Type& type_of<RunResult>();
template const Type& type_of<Interval>();

namespace {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Calls `visit` with Of<T> of each kind of document.
template <class... T, class Visit>
void each_kind(const std::variant<T...>*, Visit&& visit) {
  (visit(Of<T>{}), ...);
}
constexpr const Document* kKinds = nullptr;

// The document, and the schema that it names after the upgrade; empty where it names none.
Result<std::pair<Json, std::string>> parse(std::string_view text) {
  // The library copies documents by recursion: parts deeper than in any of ours are skipped.
  constexpr int kDepthMax = 16;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDepthMax; };
  Json json = Json::parse(text, shallow, false);
  if (!json.is_object()) return failed("no JSON document", {}, 0);
  upgrade(json);
  const Json schema = json.value("schema", Json());
  return std::pair(std::move(json), schema.is_string() ? schema.get<std::string>() : std::string());
}

template <class T>
Result<T> read_as(const Json& json) {
  T value;
  const Wrong wrong = read_document(json, value);
  if (!wrong.empty()) return failed(wrong, {}, 0);
  make_printable(type_of<T>(), &value);
  return value;
}

}  // namespace

const Shape& shape_of(const Document& document) {
  return *std::visit([]<class T>(const T&) { return &shape_of<T>(); }, document);
}

Json to_json(const Document& document, Form form) {
  return std::visit([&](const auto& value) { return to_json(value, form); }, document);
}

std::vector<RunResult*> results_in(Document& document) {
  std::vector<RunResult*> all;
  const auto add = [&](auto& parts) {
    for (auto& part : parts)
      for (RunResult& round : part.rounds) all.push_back(&round);
  };
  std::visit(
      [&]<class T>(T& of) {
        if constexpr (std::is_same_v<T, RunResult>) all.push_back(&of);
        if constexpr (requires { of.backends; }) add(of.backends);
        if constexpr (requires { of.ways; }) add(of.ways);
        if constexpr (requires { of.probes; })
          for (Probe& probe : of.probes) all.push_back(&probe.result);
      },
      document);
  return all;
}

std::string json_document(const Document& document) {
  // With a line for each number the buckets would fill thousands of lines.
  std::string text = "{";
  const char* separator = "\n  ";
  const Json json = to_json(document, Form::document);
  for (const auto& [name, value] : json.items()) {
    text += separator + dump(name) + ": " + dump(value);
    separator = ",\n  ";
  }
  return text + "\n}\n";
}

std::string json_line(const Document& document) {
  return dump(to_json(document, Form::document)) + "\n";
}

Result<Document> parse_document(std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed) return std::unexpected(parsed.error());
  const auto& [json, schema] = *parsed;
  std::string known = fmt::format("{}", fmt::join(kResultSchemasBefore, ", "));
  std::optional<Result<Document>> document;
  each_kind(kKinds, [&]<class T>(Of<T>) {
    const std::string& name = shape_of<T>().document;
    known += ", " + name;
    if (name == schema) document = read_as<T>(json);
  });
  if (document) return std::move(*document);
  return failed(fmt::format("its schema is '{}', and this reads {}", schema, known), {}, 0);
}

std::string json_schema(std::string_view name) {
  std::string text;
  each_kind(kKinds, [&]<class T>(Of<T>) {
    const std::string_view document = shape_of<T>().document;
    if (document.starts_with(fmt::format("wiremark.{}/", name)))
      text = schema_document(shape_of<T>());
  });
  return text;
}

}  // namespace wiremark::report
