// A table at run time, as the tree of what may stand in a document; and structs as documents.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/type.h"

namespace wiremark::report {

using Json = nlohmann::ordered_json;
/// Where something stands in a document (RFC 6901).
using Pointer = Json::json_pointer;

/// What is wrong with a document, for whoever reads the error, with its place; empty where nothing
/// is.
using Wrong = std::string;

/// What may stand at one place of a document. All that knows a format works on this and on Json.
struct Shape : Facts {
  std::string name;
  Kind kind = Kind::object;  ///< An optional is what it holds.
  bool required = true;
  bool together = false;  ///< Of an optional struct that others stand beside: all parts or none.
  const char* table = nullptr;  ///< The name of its table, where it is that and no more.
  std::string document;         ///< The schema of its own that it has: "wiremark.result/3".
  const char* about = "";       ///< What its table says of it.
  Json only;                    ///< Of a constant: its value; of a choice: all of them.
  bool repeats = false;         ///< Of a row: its last part stands there once or more.
  std::vector<Shape> parts;     ///< Of an object and a row; of a map and a list one for all.
};

Shape make_shape(const Type& type, const Facts& facts);

template <class T>
const Shape& shape_of() {
  static const Shape shape = make_shape(type_of<T>(), Facts());
  return shape;
}

/// A place of a table as a pointer.
Pointer pointer_to(std::string_view place);
/// What stands at `place` of the object; null where nothing does.
const Json* find(const Json& object, std::string_view place);
/// Puts the value at the place of its field.
void put(Json& object, const Facts& facts, Json value);

/// A limit that is none (measure::kUnlimited).
inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// What the table of `shape` forbids in `value`, which stands at `at`.
Wrong forbidden(const Json& value, const Shape& shape, const Pointer& at = Pointer());
/// The first place where `value` is not what the rest of the document makes of it.
Wrong difference(const Json& value, const Json& made, const Pointer& at);
/// The same of one part of an object.
Wrong difference(const Json& object, const Facts& facts, Json made, const Pointer& at);

/// The JSON Schema of the documents of `shape`, as its file has it.
std::string schema_document(const Shape& shape);

/// Whom a value is written for: readers of documents, or the CSV, which has columns of its own.
enum class Form : std::uint8_t { document, row };

Json to_json(const Type& type, const void* value, Form form);
template <class T>
Json to_json(const T& value, Form form = Form::document) {
  return to_json(type_of<T>(), &value, form);
}

/// Fills `value` from `json`. Errors: what the table forbids, and the first figure that others in
/// the document contradict.
Wrong read_document(const Json& json, const Shape& shape, const Type& type, void* value);
template <class T>
Wrong read_document(const Json& json, T& value) {
  return read_document(json, shape_of<T>(), type_of<T>(), &value);
}

}  // namespace wiremark::report
