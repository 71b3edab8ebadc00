// Structs as JSON and back, by their types.
#include <cstddef>
#include <utility>

#include "report/shape.h"

namespace wiremark::report {

namespace {

Json struct_as_json(const Type& type, void* value, Form form) {
  Json object = Json::object();
  for (const Field& field : type.fields) {
    if (form == Form::row || field.source != Source::column)
      put(object, field, to_json(*field.type, field.of(value).get(), form));
  }
  if (type.kind == Kind::object) return object;
  Json row = Json::array();
  for (const Json& part : object) {
    if (part.is_array())
      row.insert(row.end(), part.begin(), part.end());
    else
      row.push_back(part);
  }
  return row;
}

Json items_as_json(const Type& type, void* value, Form form) {
  Json all = type.kind == Kind::map ? Json::object() : Json::array();
  for (std::size_t i = 0; i < type.size(value); ++i) {
    Json item = to_json(*type.part, type.item(value, i), form);
    if (type.kind == Kind::map)
      all[type.name(value, i)] = std::move(item);
    else
      all.push_back(std::move(item));
  }
  return all;
}

// Others may stand at the place of a struct that is not there.
bool has_part(const Json& object, const Type& type) {
  return std::ranges::any_of(type.fields,
                             [&](const Field& field) { return find(object, field.place); });
}

Wrong read(const Json& json, const Type& type, void* value, const Pointer& at);

Wrong read_object(const Json& object, const Type& type, void* value, const Pointer& at) {
  for (const Field& field : type.fields) {
    const Json* const part = find(object, field.place);
    if (!part || field.source != Source::kept) continue;
    const Type* const inside = field.type->kind == Kind::optional ? field.type->part : nullptr;
    if (inside && inside->kind == Kind::object && !has_part(*part, *inside)) continue;
    const Pointer here = at / pointer_to(field.place);
    if (Wrong wrong = read(*part, *field.type, field.of(value).get(), here); !wrong.empty())
      return wrong;
  }
  for (const Field& field : type.fields) {
    if (field.source != Source::made) continue;
    Json made = to_json(*field.type, field.of(value).get(), Form::document);
    if (Wrong wrong = difference(object, field, std::move(made), at); !wrong.empty()) return wrong;
  }
  if (const Wrong wrong = type.contradiction ? type.contradiction(value) : ""; !wrong.empty())
    return at.to_string() + wrong;
  // What follows from other fields, for all that it is kept.
  if (!type.remade) return {};
  return difference(object, to_json(type, type.remade(value).get(), Form::document), at);
}

Wrong read_items(const Json& json, const Type& type, void* value, const Pointer& at) {
  type.clear(value);
  for (const auto& [name, item] : json.items()) {
    // A place is made only for what may be wrong: there may be thousands of buckets.
    const Pointer here = type.part->kind == Kind::object ? at / name : Pointer();
    if (Wrong wrong = read(item, *type.part, type.append(value, name), here); !wrong.empty())
      return wrong;
  }
  return {};
}

// Nothing in it can contradict.
void read_row(const Json& json, const Type& type, void* value) {
  auto item = json.begin();
  for (const Field& field : type.fields) {
    void* const part = field.of(value).get();
    if (field.type->kind != Kind::list) read(*item++, *field.type, part, Pointer());
    while (field.type->kind == Kind::list && item != json.end())
      read(*item++, *field.type->part, field.type->append(part, {}), Pointer());
  }
}

Wrong read(const Json& json, const Type& type, void* value, const Pointer& at) {
  if (type.kind == Kind::optional)
    return json.is_null() ? Wrong() : read(json, *type.part, type.append(value, {}), at);
  if (type.kind == Kind::object) return read_object(json, type, value, at);
  if (type.part) return read_items(json, type, value, at);
  if (type.kind == Kind::row) {
    read_row(json, type, value);
  } else if (json.is_null()) {
    as<std::uint64_t>(value) = kNoLimit;
  } else if (type.kind == Kind::choice) {
    const auto found = std::ranges::find(type.names, json.get<std::string>());
    as<std::uint8_t>(value) = static_cast<std::uint8_t>(found - type.names.begin());
  } else {
    std::visit([&](auto* leaf) { json.get_to(*leaf); }, type.leaf(value));
  }
  return {};
}

}  // namespace

Json to_json(const Type& type, const void* of, Form form) {
  void* const value = const_cast<void*>(of);  // A type has one way to what it holds.
  if (type.kind == Kind::optional)
    return type.size(value) > 0 ? to_json(*type.part, type.item(value, 0), form) : Json();
  if (type.part) return items_as_json(type, value, form);
  if (!type.leaf) return struct_as_json(type, value, form);
  if (type.kind == Kind::choice) return type.names[as<std::uint8_t>(value)];
  return std::visit([](auto* leaf) { return Json(*leaf); }, type.leaf(value));
}

Wrong read_document(const Json& json, const Shape& shape, const Type& type, void* value) {
  Wrong wrong = forbidden(json, shape);
  return wrong.empty() ? read(json, type, value, Pointer()) : wrong;
}

}  // namespace wiremark::report
