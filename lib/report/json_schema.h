// A JSON document held against a schema.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "base/result.h"

namespace wiremark::report {

/// The first place where `document` breaks schemas/result.schema.json, as an error that names it by
/// a JSON pointer (RFC 6901), with its value and what is allowed. The schema is the only table of
/// what is: this knows its keywords, which are those of JSON Schema 2020-12 that it uses and two
/// of our own (`$comment` says there what they mean).
Result<> require_result_schema(const nlohmann::ordered_json& document);

/// `value` as an error quotes it: short, whatever it holds.
std::string quoted(const nlohmann::ordered_json& value);

}  // namespace wiremark::report
