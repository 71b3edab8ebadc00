// What a table says, done in JSON: a struct written, read back with every wrong place named, and
// the schema of its documents.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "report/fields.h"
#include "report/json_rules.h"

namespace wiremark::report {

/// A limit that is none (measure::kUnlimited).
inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// The names of an enum's values are what names_of(Of<T>) returns.
template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return Kind::flag;
  if constexpr (std::is_integral_v<T>) return Kind::integer;
  if constexpr (std::is_floating_point_v<T>) return Kind::number;
  if constexpr (kIsMap<T>) return Kind::object;
  if constexpr (kIsList<T>) return Kind::array;
  if constexpr (Described<T>) return kTable<T>.row ? Kind::array : Kind::object;
  return Kind::text;
}

/// What a number of this type may be at most, and a limit at all.
template <class T>
Facts facts_of(Facts facts) {
  if (facts.unit == Unit::limit) {
    facts.null = true;
    facts.max = std::numeric_limits<std::int64_t>::max();
  }
  if constexpr (std::is_integral_v<T>)
    facts.max = std::min<std::uint64_t>(facts.max, std::numeric_limits<T>::max());
  return facts;
}

// --- Writing

template <class T>
Json to_json(const T& value);

template <class T>
void put(Json& object, const Facts& facts, const T& value) {
  if constexpr (Stripped<T>::kOptional) {
    if (value) {
      object[facts.name] = to_json(*value);
    } else if (facts.null) {
      object[facts.name] = nullptr;
    }
  } else {
    object[facts.name] = to_json(value);
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (facts.unit == Unit::limit && value == kNoLimit) object[facts.name] = nullptr;
    }
  }
}

template <class Owner, class... E>
void write_entries(Json& object, const Owner& owner, const std::tuple<E...>& entries) {
  each(entries, [&]<class Entry>(const Entry& entry) {
    if constexpr (kIs<Entry, Field>) {
      put(object, entry, owner.*entry.member);
    } else if constexpr (kIs<Entry, Made>) {
      put(object, entry, entry.of(owner));
    } else if constexpr (kIs<Entry, Constant>) {
      object[entry.name] = entry.value;
    } else if constexpr (kIs<Entry, Inlined>) {
      using Part = Stripped<typename Entry::Type>;
      if constexpr (!Part::kOptional) {
        write_entries(object, owner.*entry.member, kTable<typename Part::Type>.entries);
      } else if (owner.*entry.member) {
        write_entries(object, *(owner.*entry.member), kTable<typename Part::Type>.entries);
      }
    } else if constexpr (kIs<Entry, Group>) {
      Json part = Json::object();
      write_entries(part, owner, entry.entries);
      if (!part.empty()) object[entry.name] = std::move(part);
    }
  });
}

template <class T>
Json to_json(const T& value) {
  if constexpr (Described<T>) {
    Json object = Json::object();
    write_entries(object, value, kTable<T>.entries);
    if (!kTable<T>.row) return object;
    Json row = Json::array();
    for (Json& member : object) row.push_back(std::move(member));
    return row;
  } else if constexpr (kIsMap<T>) {
    Json object = Json::object();
    for (const auto& [name, part] : value) object[name] = part;
    return object;
  } else if constexpr (kIsList<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(to_json(item));
    return array;
  } else if constexpr (std::is_enum_v<T>) {
    return names_of(Of<T>{})[static_cast<std::size_t>(value)];
  } else {
    return value;
  }
}

// --- Reading

template <class T>
Wrong read(const Json& json, T& value, const Facts& facts, const At& at);

// Whether the entries have a member of this name.
template <class... E>
bool knows(const std::tuple<E...>& entries, std::string_view name) {
  bool known = false;
  each(entries, [&]<class Entry>(const Entry& entry) {
    if constexpr (kIs<Entry, Inlined>) {
      known |= knows(kTable<typename Stripped<typename Entry::Type>::Type>.entries, name);
    } else if constexpr (!kIs<Entry, Column>) {
      known |= name == entry.name;
    }
  });
  return known;
}

template <class T>
Wrong read_member(const Json& object, const Facts& facts, T& value, const At& at) {
  using Part = Stripped<T>;
  const At here{&at, facts.name};
  const auto found = object.find(facts.name);
  if constexpr (Part::kOptional) {
    if (found == object.end() && !facts.null) return {};
    if (found != object.end() && found->is_null() && facts.null) return {};
    if (found != object.end()) return read(*found, value.emplace(), facts, here);
  } else if (found != object.end()) {
    return read(*found, value, facts, here);
  }
  return missing(allowed(kind_of<typename Part::Type>(), facts_of<typename Part::Type>(facts)),
                 here);
}

template <class Owner, class... E>
Wrong read_entries(const Json& object, Owner& owner, const std::tuple<E...>& entries, const At& at);

// What was read must be what the fields before it make.
template <class Owner, class Entry>
Wrong read_made(const Json& object, const Owner& owner, const Entry& entry, const At& at) {
  auto made = entry.of(owner);
  const auto again = made;
  Json wanted = Json::object();
  put(wanted, entry, again);
  const At here{&at, entry.name};
  if (wanted.empty()) {
    if (!object.contains(entry.name)) return {};
    return unknown(object.at(entry.name), here);
  }
  if (object.contains(entry.name)) {
    if (Wrong wrong = read_member(object, entry, made, at); !wrong.empty()) return wrong;
  }
  return differs(object, wanted, at);
}

template <class Owner, class Entry>
Wrong read_entry(const Json& object, Owner& owner, const Entry& entry, const At& at) {
  if constexpr (kIs<Entry, Field>) {
    return read_member(object, entry, owner.*entry.member, at);
  } else if constexpr (kIs<Entry, Constant>) {
    const Json only = entry.value;
    if (!object.contains(entry.name)) return missing(only.dump(), At{&at, entry.name});
    const Json& value = object.at(entry.name);
    return value == only ? Wrong() : refused(value, only.dump(), At{&at, entry.name});
  } else if constexpr (kIs<Entry, Inlined>) {
    using Part = Stripped<typename Entry::Type>;
    constexpr auto& table = kTable<typename Part::Type>;
    if constexpr (Part::kOptional) {
      const auto ours = [&](const auto& member) { return knows(table.entries, member.key()); };
      const auto members = object.items();
      if (std::none_of(members.begin(), members.end(), ours)) return {};
      return read_entries(object, (owner.*entry.member).emplace(), table.entries, at);
    } else {
      return read_entries(object, owner.*entry.member, table.entries, at);
    }
  } else if constexpr (kIs<Entry, Group>) {
    static const Json kNone = Json::object();
    const At here{&at, entry.name};
    const Json& part = object.contains(entry.name) ? object.at(entry.name) : kNone;
    if (!part.is_object()) return refused(part, Kind::object, {}, here);
    for (const auto& [name, member] : part.items()) {
      if (!knows(entry.entries, name)) return unknown(member, At{&here, name});
    }
    return read_entries(part, owner, entry.entries, here);
  } else {
    return {};
  }
}

template <class Owner, class... E>
Wrong read_entries(const Json& object, Owner& owner, const std::tuple<E...>& entries,
                   const At& at) {
  Wrong wrong;
  each(entries, [&](const auto& entry) {
    if (wrong.empty()) wrong = read_entry(object, owner, entry, at);
  });
  each(entries, [&]<class Entry>(const Entry& entry) {
    if (!wrong.empty()) return;
    if constexpr (kIs<Entry, Made>) wrong = read_made(object, owner, entry, at);
    if (entry.most) wrong = wrong_part(object, entry, at);
  });
  return wrong;
}

template <class T>
Wrong read_row(const Json& json, T& value, const At& at) {
  constexpr std::size_t kSize = std::tuple_size_v<decltype(kTable<T>.entries)>;
  if (!json.is_array() || json.size() != kSize)
    return refused(json, "an array of " + std::to_string(kSize), at);
  Wrong wrong;
  std::size_t index = 0;
  each(kTable<T>.entries, [&](const auto& entry) {
    const std::size_t here = index++;
    if (wrong.empty()) wrong = read(json[here], value.*entry.member, entry, At{&at, {}, here});
  });
  return wrong;
}

template <class T>
Wrong read_object(const Json& json, T& value, const Facts& facts, const At& at) {
  if (!json.is_object()) return refused(json, Kind::object, facts, at);
  for (const auto& [name, member] : json.items()) {
    if (!knows(kTable<T>.entries, name)) return unknown(member, At{&at, name});
  }
  if (Wrong wrong = read_entries(json, value, kTable<T>.entries, at); !wrong.empty()) return wrong;
  if constexpr (requires { wrong_whole(value, json, at); }) {
    if (Wrong wrong = wrong_whole(value, json, at); !wrong.empty()) return wrong;
  }
  // Fields that follow from others, for all that they are kept.
  if constexpr (requires { remade(value); }) return differs(json, to_json(remade(value)), at);
  return {};
}

/// Errors: the first place that the table does not allow, or other figures contradict.
template <class T>
Wrong read(const Json& json, T& value, const Facts& facts, const At& at) {
  if constexpr (Described<T>) {
    if constexpr (kTable<T>.row) return read_row(json, value, at);
    return read_object(json, value, facts, at);
  } else if constexpr (kIsMap<T>) {
    if (!json.is_object()) return refused(json, Kind::object, facts, at);
    for (const auto& [name, part] : json.items()) {
      auto& item = value.emplace_back(name, typename T::value_type::second_type());
      if (Wrong wrong = read(part, item.second, facts, At{&at, name}); !wrong.empty()) return wrong;
    }
    return {};
  } else if constexpr (kIsList<T>) {
    if (!json.is_array() || json.size() < facts.min) return refused(json, Kind::array, facts, at);
    value.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (Wrong wrong = read(json[i], value.emplace_back(), facts, At{&at, {}, i}); !wrong.empty())
        return wrong;
    }
    return {};
  } else if constexpr (std::is_enum_v<T>) {
    constexpr auto names = names_of(Of<T>{});
    const auto found = std::find(names.begin(), names.end(), json);
    if (found == names.end()) return refused(json, "one of " + Json(names).dump(), at);
    value = static_cast<T>(found - names.begin());
    return {};
  } else {
    const Facts range = facts_of<T>(facts);
    if (range.unit == Unit::limit && json.is_null()) {
      if constexpr (std::is_same_v<T, std::uint64_t>) value = kNoLimit;
      return {};
    }
    if (!fits(json, kind_of<T>(), range)) return refused(json, kind_of<T>(), range, at);
    json.get_to(value);
    return {};
  }
}

// --- The schema

template <class T>
Json schema_of(Json& definitions, const Facts& facts);

template <class Owner, class... E>
void describe_entries(Json& definitions, Json& object, const std::tuple<E...>& entries,
                      bool required) {
  const auto put_schema = [&](const Facts& facts, Json schema, bool always) {
    if (*facts.help != '\0') schema["description"] = facts.help;
    object["properties"][facts.name] = std::move(schema);
    if (required && always) object["required"].push_back(facts.name);
  };
  each(entries, [&]<class Entry>(const Entry& entry) {
    if constexpr (kIs<Entry, Field>) {
      using Part = Stripped<typename Entry::Type>;
      put_schema(entry, schema_of<typename Part::Type>(definitions, entry),
                 !Part::kOptional || entry.null);
    } else if constexpr (kIs<Entry, Made>) {
      using Part = Stripped<decltype(entry.of(std::declval<const Owner&>()))>;
      put_schema(entry, schema_of<typename Part::Type>(definitions, entry), !Part::kOptional);
    } else if constexpr (kIs<Entry, Constant>) {
      put_schema(entry, {{"const", entry.value}}, true);
    } else if constexpr (kIs<Entry, Inlined>) {
      using Part = Stripped<typename Entry::Type>;
      describe_entries<typename Part::Type>(definitions, object,
                                            kTable<typename Part::Type>.entries, !Part::kOptional);
    } else if constexpr (kIs<Entry, Group>) {
      Json part = {{"type", "object"}, {"additionalProperties", false}};
      describe_entries<Owner>(definitions, part, entry.entries, true);
      const bool always = part.contains("required");
      put_schema(entry, std::move(part), always);
    }
  });
}

template <class T>
Json described() {
  Json schema = Json::object();
  if (*kTable<T>.help != '\0') schema["description"] = kTable<T>.help;
  return schema;
}

template <class T>
void define(Json& definitions, Json& schema) {
  schema.update({{"type", "object"}, {"additionalProperties", false}});
  describe_entries<T>(definitions, schema, kTable<T>.entries, true);
}

template <class T>
Json row_schema(Json& definitions) {
  Json items = Json::array();
  each(kTable<T>.entries, [&]<class Entry>(const Entry& entry) {
    items.push_back(schema_of<typename Entry::Type>(definitions, entry));
  });
  Json schema = described<T>();
  schema.update({{"type", "array"},
                 {"minItems", items.size()},
                 {"maxItems", items.size()},
                 {"prefixItems", items}});
  return schema;
}

template <class T>
Json schema_of(Json& definitions, const Facts& facts) {
  if constexpr (requires { schema_id(Of<T>{}); }) {
    return {{"$ref", schema_id(Of<T>{})}};  // It has a file of its own.
  } else if constexpr (Described<T>) {
    if (!definitions.contains(kTable<T>.name)) {
      definitions[kTable<T>.name] = Json();  // Its place is before those of its parts.
      Json schema = described<T>();
      if constexpr (kTable<T>.row) {
        schema = row_schema<T>(definitions);
      } else {
        define<T>(definitions, schema);
      }
      definitions[kTable<T>.name] = std::move(schema);
    }
    Json there = {{"$ref", std::string("#/$defs/") + kTable<T>.name}};
    if (!facts.null) return there;
    return {{"anyOf", {there, {{"type", "null"}}}}};
  } else if constexpr (kIsMap<T>) {
    return {{"type", "object"},
            {"additionalProperties",
             schema_of<typename T::value_type::second_type>(definitions, facts)}};
  } else if constexpr (kIsList<T>) {
    Json schema = {{"type", "array"}};
    if (facts.min > 0) schema["minItems"] = facts.min;
    schema["items"] = schema_of<typename T::value_type>(definitions, facts);
    return schema;
  } else if constexpr (std::is_enum_v<T>) {
    return {{"enum", names_of(Of<T>{})}};
  } else if constexpr (std::is_constructible_v<std::string, T>) {
    return schema_of(Kind::text, facts);
  } else {
    return schema_of(kind_of<T>(), facts_of<T>(facts));
  }
}

/// The schema of the documents that T makes, as its file has it: `name` is "result/2".
template <class T>
std::string schema_document(const std::string& name) {
  std::string id = "urn:wiremark:" + name;
  std::replace(id.begin(), id.end(), '/', ':');
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", id},
                 {"title", "wiremark." + name}};
  schema.update(described<T>());
  Json definitions = Json::object();
  define<T>(definitions, schema);
  schema["$defs"] = std::move(definitions);
  return pretty(schema);
}

}  // namespace wiremark::report
