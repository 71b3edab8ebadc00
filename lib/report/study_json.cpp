// Studies as JSON documents, and any document that a tool writes read back.
#include <fmt/core.h>

#include "report/json.h"
#include "report/json_document.h"
#include "report/study_fields.h"

namespace wiremark::report {

namespace {

template <class Study>
Result<Document> read_study(const Json& document) {
  Study study;
  const Wrong wrong = read(document, study, {}, At{});
  if (!wrong.empty()) return failed(wrong, {}, 0);
  return study;
}

}  // namespace

std::string json_document(const Comparison& study) { return pretty(to_json(study)); }
std::string json_document(const MaxRate& study) { return pretty(to_json(study)); }
std::string json_document(const Bypass& study) { return pretty(to_json(study)); }

Result<Document> parse_document(std::string_view text) {
  Json document = parse_shallow(text);
  const Json schema = document.is_object() ? document.value("schema", Json()) : Json();
  if (schema == "wiremark.comparison/1") return read_study<Comparison>(document);
  if (schema == "wiremark.find-max/1") return read_study<MaxRate>(document);
  if (schema == "wiremark.bypass/1") return read_study<Bypass>(document);
  auto result = read_result(std::move(document));
  if (!result) return std::unexpected(result.error());
  return std::move(*result);
}

std::string json_schema(std::string_view name) {
  if (name == "result") return schema_document<RunResult>("result/2");
  if (name == "interval") return schema_document<IntervalLine>("interval/1");
  if (name == "comparison") return schema_document<Comparison>("comparison/1");
  if (name == "find-max") return schema_document<MaxRate>("find-max/1");
  if (name == "bypass") return schema_document<Bypass>("bypass/1");
  return {};
}

}  // namespace wiremark::report
