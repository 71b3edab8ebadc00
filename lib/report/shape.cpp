// Documents held against their tables: where each part stands, and how a wrong one is told.
#include "report/shape.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "report/result.h"

namespace wiremark::report {

namespace {

constexpr const char* kMade = "the rest of the document makes it";

// The first name of a place, and what follows behind it.
std::pair<std::string, std::string_view> split(std::string_view place) {
  const std::size_t slash = place.find('/');
  if (slash == std::string_view::npos) return {std::string(place), {}};
  return {std::string(place.substr(0, slash)), place.substr(slash + 1)};
}

// As an error quotes it: short, whatever it holds.
std::string quoted(const Json& value) {
  constexpr std::size_t kLengthMax = 60;
  if (value.is_structured()) return fmt::format("an {} of {}", value.type_name(), value.size());
  const std::string text = value.dump(-1, ' ', true);
  return text.size() <= kLengthMax ? text : text.substr(0, kLengthMax) + "...";
}

Wrong unknown(const Json& value, const Pointer& at) {
  return fmt::format("{} is {}, and there is no such member", at.to_string(), quoted(value));
}

bool is_between(const Json& value, std::uint64_t least, std::uint64_t most) {
  if (value.is_number_integer()) return value >= least && value <= most;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();  // JSON Schema counts 1.0 as an integer.
  return std::trunc(number) == number && number >= static_cast<double>(least) &&
         number <= static_cast<double>(most);
}

bool is_moment(const Json& value) {
  return value.is_string() && format_moment(parse_moment(value)) == value.get<std::string>();
}

// What the value must be, where it is something else; null is always that.
std::string must_be(const Json& value, const Shape& shape) {
  const auto unless = [&](bool fits, const std::string& allowed) {
    return fits ? std::string() : allowed + (shape.null ? " or null" : "");
  };
  if (shape.kind == Kind::choice)
    return unless(std::ranges::find(shape.only, value) != shape.only.end(),
                  "one of " + shape.only.dump());
  if (!shape.only.is_null()) return unless(value == shape.only, shape.only.dump());
  switch (shape.kind) {
    case Kind::integer:
      return unless(is_between(value, shape.min, shape.max),
                    fmt::format("an integer from {} to {}", shape.min, shape.max));
    case Kind::number:
      if (shape.unit == Unit::share)
        return unless(value.is_number() && value >= 0 && value <= 100, "a number from 0 to 100");
      if (shape.unit == Unit::us_either_way) return unless(value.is_number(), "a number");
      return unless(value.is_number() && value >= 0, "a number of 0 or more");
    case Kind::flag:
      return unless(value.is_boolean(), "true or false");
    case Kind::list:
      return unless(value.is_array() && value.size() >= shape.min,
                    shape.min > 0 ? fmt::format("an array of {} or more", shape.min) : "an array");
    case Kind::row:
      if (shape.repeats)
        return unless(value.is_array() && value.size() >= shape.parts.size(),
                      fmt::format("an array of {} or more", shape.parts.size()));
      return unless(value.is_array() && value.size() == shape.parts.size(),
                    fmt::format("an array of {}", shape.parts.size()));
    case Kind::text:
      if (shape.unit == Unit::moment)
        return unless(is_moment(value), "a time in UTC such as \"2026-11-21T02:18:25Z\"");
      return unless(value.is_string(), "a string");
    default:
      return unless(value.is_object(), "an object");
  }
}

// What is wrong with an object for all that each of its parts may be as it is.
Wrong wrong_beside(const Json& object, const Shape& part, const Pointer& at) {
  const std::string here = (at / part.name).to_string();
  if (part.beside && !object.contains(part.beside))
    return fmt::format("{} is missing, and {} needs it", (at / part.beside).to_string(), here);
  if (!part.most || object.at(part.name).is_null() || object.at(part.most).is_null() ||
      object.at(part.name) <= object.at(part.most))
    return {};
  return fmt::format("{} is {}, and must be at most {}, which is {}", here,
                     quoted(object.at(part.name)), (at / part.most).to_string(),
                     quoted(object.at(part.most)));
}

bool must_have(const Json& object, const Shape& shape, const Shape& part) {
  const auto is_there = [&](const Shape& other) {
    return other.together && object.contains(other.name);
  };
  return part.required && (!part.together || std::ranges::any_of(shape.parts, is_there));
}

Wrong forbidden_parts(const Json& object, const Shape& shape, const Pointer& at) {
  for (const auto& [name, value] : object.items()) {
    const auto part = std::ranges::find(shape.parts, name, &Shape::name);
    if (part == shape.parts.end() || part->source == Source::column)
      return unknown(value, at / name);
  }
  for (const Shape& part : shape.parts) {
    if (part.source == Source::column) continue;
    const Pointer here = at / part.name;
    if (const auto found = object.find(part.name); found != object.end()) {
      if (Wrong wrong = forbidden(*found, part, here); !wrong.empty()) return wrong;
    } else if (must_have(object, shape, part)) {
      return fmt::format("{} is missing, and must be {}", here.to_string(), must_be({}, part));
    }
  }
  for (const Shape& part : shape.parts) {
    if (!object.contains(part.name)) continue;
    if (Wrong wrong = wrong_beside(object, part, at); !wrong.empty()) return wrong;
  }
  return {};
}

bool is_same_number(const Json& one, const Json& other) {
  if (one.is_number_integer() && other.is_number_integer()) return one == other;
  constexpr double kRounding = 1e-9;  // Another compiler may round the last bits otherwise.
  const double a = one.get<double>();
  const double b = other.get<double>();
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

// Puts `part` at its place, into objects that are made on the way.
void put(Shape& owner, std::string_view place, Shape part) {
  const auto [name, rest] = split(place);
  if (name.empty()) {
    owner.parts.insert(owner.parts.end(), part.parts.begin(), part.parts.end());
    return;
  }
  auto there = std::ranges::find(owner.parts, name, &Shape::name);
  if (rest.empty()) {
    part.name = name;
    owner.parts.push_back(std::move(part));
    return;
  }
  if (there == owner.parts.end()) {
    Shape object;
    object.name = name;
    object.required = false;
    object.column = "";
    there = owner.parts.insert(owner.parts.end(), std::move(object));
  }
  if (there->table && !there->required) {
    for (Shape& one : there->parts) one.together = true;
  }
  there->required |= part.required;
  there->table = nullptr;
  put(*there, rest, std::move(part));
}

}  // namespace

Shape make_shape(const Type& type, const Facts& facts) {
  if (type.kind == Kind::optional) {
    Shape shape = make_shape(*type.part, facts);
    shape.required = facts.null;
    return shape;
  }
  Shape shape;
  static_cast<Facts&>(shape) = facts;
  shape.kind = type.kind;
  if (type.kind == Kind::choice) shape.only = type.names;
  if (type.part) shape.parts = {make_shape(*type.part, facts)};
  if (type.kind == Kind::integer) {
    const bool limit = facts.unit == Unit::limit;
    shape.null |= limit;
    shape.max = limit ? std::numeric_limits<std::int64_t>::max() : std::min(facts.max, type.max);
  }
  if (type.kind != Kind::object && type.kind != Kind::row) return shape;
  shape.table = type.table;
  shape.about = type.about;
  for (const Field& field : type.fields) {
    shape.repeats = type.kind == Kind::row && field.type->kind == Kind::list;
    Shape part = make_shape(shape.repeats ? *field.type->part : *field.type, field);
    if (field.source == Source::constant)
      part.only = to_json(*field.type, field.of(nullptr).get(), Form::document);
    if (field.place == std::string_view("schema")) shape.document = part.only;
    put(shape, field.place, std::move(part));
  }
  return shape;
}

Pointer pointer_to(std::string_view place) {
  return Pointer(place.empty() ? std::string() : fmt::format("/{}", place));
}

void put(Json& object, const Facts& facts, Json value) {
  if (facts.unit == Unit::limit && value == kNoLimit) value = nullptr;
  if (value.is_null() && !facts.null && facts.unit != Unit::limit) return;
  if (*facts.place == '\0') return object.update(value);
  object[pointer_to(facts.place)] = std::move(value);
}

const Json* find(const Json& object, std::string_view place) {
  const Pointer part = pointer_to(place);
  return object.contains(part) ? &object.at(part) : nullptr;
}

Wrong forbidden(const Json& value, const Shape& shape, const Pointer& at) {
  if (value.is_null() && shape.null) return {};
  if (const std::string allowed = must_be(value, shape); !allowed.empty())
    return fmt::format("{} is {}, and must be {}", at.to_string(), quoted(value), allowed);
  if (shape.kind == Kind::object) return forbidden_parts(value, shape, at);
  if (!value.is_structured()) return {};
  std::size_t index = 0;
  for (const auto& [name, item] : value.items()) {
    const Shape& part = shape.parts[shape.kind == Kind::row ? index : 0];
    index = std::min(index + 1, shape.parts.size() - 1);
    // A place is made only for what is wrong: there may be thousands of buckets.
    if (!forbidden(item, part).empty()) return forbidden(item, part, at / name);
  }
  return {};
}

Wrong difference(const Json& value, const Json& made, const Pointer& at) {
  const bool objects = value.is_object() && made.is_object();
  if (objects || (value.is_array() && made.is_array() && value.size() == made.size())) {
    for (const auto& [name, part] : made.items()) {
      const Pointer step = Pointer() / name;
      if (!value.contains(step))
        return fmt::format("{} is missing, and {} {}", (at / name).to_string(), kMade,
                           quoted(part));
      if (Wrong wrong = difference(value.at(step), part, at / name); !wrong.empty()) return wrong;
    }
    return {};
  }
  const bool numbers = value.is_number() && made.is_number();
  if (numbers ? is_same_number(value, made) : value == made) return {};
  return fmt::format("{} is {}, and {} {}", at.to_string(), quoted(value), kMade, quoted(made));
}

Wrong difference(const Json& object, const Facts& facts, Json made, const Pointer& at) {
  const Json* there = find(object, facts.place);
  if (made.is_null() && !facts.null)
    return there ? unknown(*there, at / pointer_to(facts.place)) : Wrong();
  Json wanted = Json::object();
  put(wanted, facts, std::move(made));
  return difference(object, wanted, at);
}

}  // namespace wiremark::report
