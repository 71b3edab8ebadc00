// A table at run time, as the tree of what may stand in a document; and structs as documents.
#pragma once

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/fields.h"

namespace wiremark::report {

using Json = nlohmann::ordered_json;
/// Where something stands in a document (RFC 6901).
using Pointer = Json::json_pointer;

/// What is wrong with a document, for whoever reads the error, with its place; empty where nothing
/// is.
using Wrong = std::string;

enum class Kind : std::uint8_t { integer, number, text, flag, choice, object, map, list, row };

/// What may stand at one place of a document. All that knows a format works on this and on Json.
struct Shape : Facts {
  std::string name;
  Kind kind = Kind::object;
  bool required = true;
  bool together = false;  ///< Of an optional struct that others stand beside: all parts or none.
  const char* table = nullptr;  ///< The name of its table, where it is that and no more.
  std::string document;         ///< The schema of its own that it has: "wiremark.result/3".
  const char* about = "";       ///< What its table says of it.
  Json only;                    ///< Of a constant: its value; of a choice: all of them.
  bool repeats = false;         ///< Of a row: its last part stands there once or more.
  std::vector<Shape> parts;     ///< Of an object and a row; of a map and a list one for all.
};

/// Puts `part` at its place, into objects that are made on the way.
void put(Shape& owner, std::string_view place, Shape part);
void put(Json& object, const Facts& facts, Json value);
/// A place of a table as a pointer.
Pointer pointer_to(std::string_view place);
/// Whether the object has one of the parts of a struct.
bool has_part(const Json& object, const Shape& shape);
/// What stands at `place` of the object; null where nothing does.
const Json* find(const Json& object, std::string_view place);

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

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
/// Values by name, in their order.
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::vector<std::pair<std::string, T>>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = !kIsMap<std::vector<T>>;

/// Whom a value is written for: readers of documents, or the CSV, which has columns of its own.
enum class Form : std::uint8_t { document, row };

template <class T>
Json to_json(const T& value, Form form = Form::document);

/// Fills `value` from `json`, which stands at `at` and is as its shape allows. Errors: the first
/// figure that others in the document contradict.
template <class T>
Wrong read(const Json& json, T& value, const Pointer& at);

template <class T>
Shape make_shape(const Facts& facts);

template <class T>
const Shape& shape_of() {
  static const Shape shape = make_shape<T>(Facts());
  return shape;
}

template <class T>
Shape make_shape(const Facts& facts) {
  Shape shape;
  static_cast<Facts&>(shape) = facts;
  if constexpr (kIsOptional<T>) {
    shape = make_shape<typename T::value_type>(facts);
    shape.required = facts.null;
  } else if constexpr (Described<T>) {
    constexpr const auto& table = kTable<T>;
    shape.kind = table.row ? Kind::row : Kind::object;
    shape.table = table.name;
    shape.about = table.help;
    each<T>([&](const auto& entry) {
      using Value = std::remove_cvref_t<decltype(entry.of(std::declval<const T&>()))>;
      Shape part = make_shape<Value>(entry);
      if (entry.source == Source::constant) part.only = to_json(entry.of(T()));
      if (entry.place == std::string_view("schema")) shape.document = part.only;
      if constexpr (InRow<T> && kIsList<Value>) {
        shape.repeats = true;
        part = make_shape<typename Value::value_type>(entry);
      }
      put(shape, entry.place, std::move(part));
    });
  } else if constexpr (kIsMap<T>) {
    shape.kind = Kind::map;
    shape.parts = {make_shape<typename T::value_type::second_type>(facts)};
  } else if constexpr (kIsList<T>) {
    shape.kind = Kind::list;
    shape.parts = {make_shape<typename T::value_type>(facts)};
  } else if constexpr (std::is_enum_v<T>) {
    shape.kind = Kind::choice;
    shape.only = names_of(Of<T>{});
  } else if constexpr (std::is_same_v<T, bool>) {
    shape.kind = Kind::flag;
  } else if constexpr (std::is_integral_v<T>) {
    shape.kind = Kind::integer;
    shape.null |= facts.unit == Unit::limit;
    shape.max = facts.unit == Unit::limit
                    ? std::numeric_limits<std::int64_t>::max()
                    : std::min<std::uint64_t>(facts.max, std::numeric_limits<T>::max());
  } else {
    shape.kind = std::is_floating_point_v<T> ? Kind::number : Kind::text;
  }
  return shape;
}

template <class T>
Json to_json(const T& value, Form form) {
  if constexpr (kIsOptional<T>) {
    return value ? to_json(*value, form) : Json();
  } else if constexpr (Described<T>) {
    Json object = Json::object();
    each<T>([&](const auto& entry) {
      if (form == Form::row || entry.source != Source::column)
        put(object, entry, to_json(entry.of(value), form));
    });
    if (!kTable<T>.row) return object;
    Json row = Json::array();
    for (Json& part : object) {
      if (!part.is_array()) {
        row.push_back(std::move(part));
        continue;
      }
      for (Json& item : part) row.push_back(std::move(item));
    }
    return row;
  } else if constexpr (kIsMap<T>) {
    Json object = Json::object();
    for (const auto& [name, part] : value) object[name] = to_json(part, form);
    return object;
  } else if constexpr (kIsList<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(to_json(item, form));
    return array;
  } else if constexpr (std::is_enum_v<T>) {
    return names_of(Of<T>{})[static_cast<std::size_t>(value)];
  } else {
    return value;
  }
}

template <class T>
Wrong read_members(const Json& object, T& value, const Pointer& at) {
  Wrong wrong;
  each<T>([&]<class Entry>(const Entry& entry) {
    if constexpr (requires { entry.member; }) {
      const Json* part = find(object, entry.place);
      if (!part || !wrong.empty()) return;
      using Member = std::remove_cvref_t<decltype(value.*entry.member)>;
      if constexpr (kIsOptional<Member>) {
        if (shape_of<Member>().kind == Kind::object && !has_part(*part, shape_of<Member>())) return;
      }
      wrong = read(*part, value.*entry.member, at / pointer_to(entry.place));
    }
  });
  each<T>([&](const auto& entry) {
    if (entry.source == Source::made && wrong.empty())
      wrong = difference(object, entry, to_json(entry.of(value)), at);
  });
  if constexpr (requires { contradiction(value); }) {
    if (wrong.empty() && !contradiction(value).empty())
      return at.to_string() + contradiction(value);
  }
  if (!wrong.empty()) return wrong;
  // What follows from other fields, for all that it is kept.
  if constexpr (requires { remade(value); }) return difference(object, to_json(remade(value)), at);
  return {};
}

template <class T>
Wrong read(const Json& json, T& value, const Pointer& at) {
  if constexpr (kIsOptional<T>) {
    return json.is_null() ? Wrong() : read(json, value.emplace(), at);
  } else if constexpr (InRow<T>) {
    std::size_t index = 0;
    each<T>([&](const auto& entry) {
      auto& part = value.*entry.member;
      if constexpr (kIsList<std::remove_cvref_t<decltype(part)>>) {
        while (index < json.size()) json[index++].get_to(part.emplace_back());
      } else {
        read(json[index++], part, at);
      }
    });
    return {};
  } else if constexpr (Described<T>) {
    return read_members(json, value, at);
  } else if constexpr (kIsMap<T>) {
    for (const auto& [name, part] : json.items()) {
      read(part, value.emplace_back(name, typename T::value_type::second_type()).second, at);
    }
    return {};
  } else if constexpr (kIsList<T>) {
    value.clear();
    value.reserve(json.size());
    for (const Json& item : json) {
      using Item = typename T::value_type;
      if constexpr (Described<Item> && !InRow<Item>) {
        const Pointer here = at / value.size();
        if (Wrong wrong = read(item, value.emplace_back(), here); !wrong.empty()) return wrong;
      } else {  // Nothing in it can contradict: it needs no place.
        read(item, value.emplace_back(), at);
      }
    }
    return {};
  } else if constexpr (std::is_enum_v<T>) {
    constexpr auto names = names_of(Of<T>{});
    value = static_cast<T>(std::find(names.begin(), names.end(), json) - names.begin());
    return {};
  } else {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (json.is_null()) return value = kNoLimit, Wrong();
    }
    json.get_to(value);
    return {};
  }
}

/// Errors: what the table forbids, and what the document itself contradicts.
template <class T>
Wrong read_document(const Json& json, T& value) {
  Wrong wrong = forbidden(json, shape_of<T>());
  return wrong.empty() ? read(json, value, Pointer()) : wrong;
}

}  // namespace wiremark::report
