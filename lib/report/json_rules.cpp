// What a value of a document may be, and how a wrong one is told: what fields share, without types.
#include "report/json_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/result.h"

namespace wiremark::report {

namespace {

constexpr const char* kUnitNames[] = {"",    "",     "count", "bytes",    "ns",          "us", "s",
                                      "1/s", "MB/s", "%",     "% of all", "% of a core", ""};

constexpr const char* kMade = "the rest of the document makes it";

bool is_between(const Json& value, std::uint64_t least, std::uint64_t most) {
  if (value.is_number_integer()) return value >= least && value <= most;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();  // JSON Schema counts 1.0 as an integer.
  return std::trunc(number) == number && number >= static_cast<double>(least) &&
         number <= static_cast<double>(most);
}

bool is_same_number(const Json& one, const Json& other) {
  if (one.is_number_integer() && other.is_number_integer()) return one == other;
  constexpr double kRounding = 1e-9;  // Another compiler may round the last bits otherwise.
  const double a = one.get<double>();
  const double b = other.get<double>();
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

void put(std::string& text, const Json& value, std::size_t indent, std::size_t before) {
  const auto dump = [](const Json& part) {
    return part.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const std::string line = dump(value);
  if (!value.is_structured() || value.empty() || indent + before + line.size() < 100) {
    text += line;
    return;
  }
  const std::string margin(indent + 2, ' ');
  const char* separator = value.is_object() ? "{\n" : "[\n";
  for (const auto& [name, member] : value.items()) {
    const std::string label = value.is_object() ? dump(name) + ": " : std::string();
    text += separator + margin + label;
    put(text, member, indent + 2, label.size() + 1);
    separator = ",\n";
  }
  text += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string At::text() const {
  if (!up) return {};
  std::string escaped;
  for (const char character : name) {
    if (character == '~' || character == '/') {
      escaped += character == '~' ? "~0" : "~1";
    } else {
      escaped += character;
    }
  }
  return up->text() + "/" + (name.data() ? escaped : std::to_string(index));
}

bool fits(const Json& value, Kind kind, const Facts& facts) {
  switch (kind) {
    case Kind::integer:
      return is_between(value, facts.min, facts.max);
    case Kind::number:
      return value.is_number() && value >= 0 && (facts.unit != Unit::share || value <= 100);
    case Kind::text:
      return value.is_string() &&
             (facts.unit != Unit::moment ||
              format_moment(parse_moment(value)) == value.get_ref<const std::string&>());
    case Kind::flag:
      return value.is_boolean();
    case Kind::object:
      return value.is_object();
    case Kind::array:
      return value.is_array();
  }
  return false;
}

std::string allowed(Kind kind, const Facts& facts) {
  const auto or_null = [&](std::string text) { return text + (facts.null ? " or null" : ""); };
  switch (kind) {
    case Kind::integer:
      return or_null(fmt::format("an integer from {} to {}", facts.min, facts.max));
    case Kind::number:
      return or_null(facts.unit == Unit::share ? "a number from 0 to 100"
                                               : "a number of 0 or more");
    case Kind::text:
      return or_null(facts.unit == Unit::moment ? "a time in UTC such as \"2026-11-21T02:18:25Z\""
                                                : "a string");
    case Kind::flag:
      return or_null("true or false");
    case Kind::object:
      return or_null("an object");
    case Kind::array:
      return or_null(facts.min > 0 ? fmt::format("an array of {} or more", facts.min) : "an array");
  }
  return {};
}

Wrong refused(const Json& value, Kind kind, const Facts& facts, const At& at) {
  return refused(value, allowed(kind, facts), at);
}

Wrong refused(const Json& value, std::string_view allowed, const At& at) {
  return fmt::format("{} is {}, and must be {}", at.text(), quoted(value), allowed);
}

Wrong missing(std::string_view must, const At& at) {
  return fmt::format("{} is missing, and must be {}", at.text(), must);
}

Wrong unknown(const Json& value, const At& at) {
  return fmt::format("{} is {}, and there is no such member", at.text(), quoted(value));
}

Wrong wrong_part(const Json& object, const Facts& facts, const At& at) {
  const Json& part = object.at(facts.name);
  const Json& whole = object.at(facts.most);
  if (part <= whole) return {};
  return fmt::format("{} is {}, and must be at most {}, which is {}", At{&at, facts.name}.text(),
                     quoted(part), At{&at, facts.most}.text(), quoted(whole));
}

Wrong differs(const Json& value, const Json& made, const At& at) {
  if (value.is_object() && made.is_object()) {
    for (const auto& [name, part] : made.items()) {
      const At here{&at, name};
      if (!value.contains(name))
        return fmt::format("{} is missing, and {} {}", here.text(), kMade, quoted(part));
      if (Wrong wrong = differs(value.at(name), part, here); !wrong.empty()) return wrong;
    }
    return {};
  }
  if (value.is_array() && made.is_array() && value.size() == made.size()) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (Wrong wrong = differs(value[i], made[i], At{&at, {}, i}); !wrong.empty()) return wrong;
    }
    return {};
  }
  const bool numbers = value.is_number() && made.is_number();
  if (numbers ? is_same_number(value, made) : value == made) return {};
  return fmt::format("{} is {}, and {} {}", at.text(), quoted(value), kMade, quoted(made));
}

std::string quoted(const Json& value) {
  constexpr std::size_t kLengthMax = 60;
  if (value.is_structured()) return fmt::format("an {} of {}", value.type_name(), value.size());
  const std::string text = value.dump(-1, ' ', true);
  return text.size() <= kLengthMax ? text : text.substr(0, kLengthMax) + "...";
}

Json schema_of(Kind kind, const Facts& facts) {
  constexpr const char* kTypes[] = {"integer", "number", "string", "boolean", "object", "array"};
  Json schema = {{"type", kTypes[static_cast<std::size_t>(kind)]}};
  if (facts.null) schema["type"] = {kTypes[static_cast<std::size_t>(kind)], "null"};
  if (facts.unit == Unit::moment) schema["format"] = "date-time";
  if (kind == Kind::integer || kind == Kind::number) schema["minimum"] = 0;
  if (kind == Kind::integer) schema.update({{"minimum", facts.min}, {"maximum", facts.max}});
  if (kind == Kind::number && facts.unit == Unit::share) schema["maximum"] = 100;
  if (const char* unit = kUnitNames[static_cast<std::size_t>(facts.unit)]; *unit != '\0')
    schema["x-unit"] = unit;
  return schema;
}

std::string pretty(const Json& value) {
  std::string text;
  put(text, value, 0, 0);
  return text + "\n";
}

}  // namespace wiremark::report
