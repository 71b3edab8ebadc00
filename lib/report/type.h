// A type of C++ as the formats see it: what it is in a document, and how to get at what it holds.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "report/fields.h"

namespace wiremark::report {

enum class Kind { integer, number, text, flag, choice, object, map, list, row, optional };

/// A number, text, a flag, or the index of a choice.
using Leaf = std::variant<unsigned*, std::uint64_t*, double*, std::string*, bool*, std::uint8_t*>;

struct Type;

/// A member of a struct, or what a function makes of it: a line of its table.
struct Field : Facts {
  const Type* type = nullptr;
  std::size_t offset = 0;                                        ///< Of a member.
  std::function<std::shared_ptr<void>(const void* owner)> make;  ///< Of anything else.

  /// Its value, there for as long as it is held.
  std::shared_ptr<void> of(void* owner) const {
    if (make) return make(owner);
    return {std::shared_ptr<void>(), static_cast<char*>(owner) + offset};
  }
};

struct Type {
  Kind kind = Kind::object;
  Leaf (*leaf)(void*) = nullptr;
  std::uint64_t max = 0;                ///< Of an integer.
  std::vector<const char*> names = {};  ///< Of a choice.

  // Of a list, a map, and an optional, which holds one value or none.
  const Type* part = nullptr;  ///< What it holds.
  std::size_t (*size)(void*) = nullptr;
  void* (*item)(void*, std::size_t) = nullptr;
  std::string& (*name)(void*, std::size_t) = nullptr;  ///< Of a map, in its order.
  void* (*append)(void*, const std::string& name) = nullptr;
  void (*clear)(void*) = nullptr;

  // Of a struct: an object, or a row.
  const char* table = nullptr;
  const char* about = "";
  std::vector<Field> fields = {};
  /// What is wrong with it as a whole, with the place in it; empty where nothing is.
  std::string (*contradiction)(const void*) = nullptr;
  /// It with all that follows from the rest of it.
  std::shared_ptr<void> (*remade)(const void*) = nullptr;
  void (*add)(void* into, const void* more) = nullptr;  ///< Instead of its fields.
};

/// Where a name stands in a map of this type; its size where it does not.
inline std::size_t place_of(const Type& type, void* map, std::string_view name) {
  std::size_t at = 0;
  while (at < type.size(map) && type.name(map, at) != name) ++at;
  return at;
}

template <class T>
Type make_type();

template <class T>
const Type& type_of() {
  static const Type type = make_type<T>();
  return type;
}

/// What fields() of a T calls for each line of its table, with the members of `sample`.
template <class T>
class Lines {
 public:
  Lines(Type& type, const T& sample) : type_(type), sample_(&sample) {}

  /// Its name in the schemas.
  void table(const char* name, const char* help) { type_.table = name, type_.about = help; }
  /// In a document it is an array of its values, instead of an object.
  void row(const char* name, const char* help) { table(name, help), type_.kind = Kind::row; }

  /// A number, text, an enum, a struct with a table, or an optional, a vector or a name-to-value
  /// list of these.
  template <class Member>
  void operator()(const char* place, const Member& member, Rule rule, const char* help = "",
                  const More& more = {}) {
    const auto offset = reinterpret_cast<const char*>(&member) - static_cast<const char*>(sample_);
    add({{more, rule, place, help}, &type_of<Member>(), static_cast<std::size_t>(offset), {}});
  }
  template <class Member>
  void operator()(const char* place, const Member& member, const char* help = "",
                  const More& more = {}) {
    (*this)(place, member, Rule(), help, more);
  }
  /// What `make` makes of the owner: written, and compared with what is read.
  template <class Make>
  void made(const char* place, Unit unit, Make make, const char* help = "", const More& more = {}) {
    add_made({more, unit, place, help, Source::made}, make);
  }
  /// A column that only the CSV has. A field without a column may have the same name.
  template <class Make>
  void column(const char* name, Make make) {
    add_made({{.column = name}, {}, name, "", Source::column}, make);
  }
  /// The same in every document: a number or text.
  template <class Value>
  void constant(const char* place, Value value) {
    using Kept = Stored<Value>;
    add({{{}, {}, place, "", Source::constant}, &type_of<Kept>(), 0, [value](const void*) {
           return std::make_shared<Kept>(value);  // Of no owner.
         }});
  }

 private:
  template <class Value>
  using Stored =
      std::conditional_t<std::is_convertible_v<Value, std::string_view>, std::string, Value>;

  template <class Make>
  void add_made(const Facts& facts, Make make) {
    using Made = Stored<std::invoke_result_t<Make, const T&>>;
    add({facts, &type_of<Made>(), 0, [make](const void* owner) -> std::shared_ptr<void> {
           return std::make_shared<Made>(std::invoke(make, *static_cast<const T*>(owner)));
         }});
  }
  void add(Field field) { type_.fields.push_back(std::move(field)); }

  Type& type_;
  const void* sample_;
};

template <class T>
T& as(void* value) {
  return *static_cast<T*>(value);
}

// A std::optional, a std::vector, or a std::vector of pairs of a name and a value.
template <class T>
Type holder_type() {
  using Item = typename T::value_type;
  Type type;
  if constexpr (requires(T holder) { holder.emplace(); }) {
    type.kind = Kind::optional;
    type.part = &type_of<Item>();
    type.size = [](void* holder) { return std::size_t{as<T>(holder).has_value()}; };
    type.item = [](void* holder, std::size_t) -> void* { return &*as<T>(holder); };
    type.append = [](void* holder, const std::string&) -> void* {
      return &as<T>(holder).emplace();
    };
    type.clear = [](void* holder) { as<T>(holder).reset(); };
    return type;
  } else {
    type.size = [](void* holder) { return as<T>(holder).size(); };
    type.clear = [](void* holder) { as<T>(holder).clear(); };
    if constexpr (requires(Item item) { item.second; }) {
      using Value = typename Item::second_type;
      type.kind = Kind::map;
      type.part = &type_of<Value>();
      type.item = [](void* map, std::size_t i) -> void* { return &as<T>(map)[i].second; };
      type.name = [](void* map, std::size_t i) -> std::string& { return as<T>(map)[i].first; };
      type.append = [](void* map, const std::string& name) -> void* {
        return &as<T>(map).emplace_back(name, Value()).second;
      };
    } else {
      type.kind = Kind::list;
      type.part = &type_of<Item>();
      type.item = [](void* list, std::size_t i) -> void* { return &as<T>(list)[i]; };
      type.append = [](void* list, const std::string&) -> void* {
        return &as<T>(list).emplace_back();
      };
    }
    return type;
  }
}

template <class T>
Type struct_type() {
  Type type;
  T sample{};
  Lines<T> lines(type, sample);
  if constexpr (requires { sample.fields(lines); })
    sample.fields(lines);
  else
    fields(lines, sample);
  if constexpr (requires { contradiction(sample); })
    type.contradiction = [](const void* of) { return contradiction(*static_cast<const T*>(of)); };
  if constexpr (requires { remade(sample); }) {
    type.remade = [](const void* of) -> std::shared_ptr<void> {
      return std::make_shared<T>(remade(*static_cast<const T*>(of)));
    };
  }
  if constexpr (requires { add(sample, sample); })
    type.add = [](void* into, const void* more) { add(as<T>(into), *static_cast<const T*>(more)); };
  return type;
}

template <class T>
Type make_type() {
  if constexpr (std::is_enum_v<T>) {
    static_assert(sizeof(T) == 1);
    constexpr auto names = names_of(Of<T>());
    return {Kind::choice,
            [](void* of) { return Leaf(static_cast<std::uint8_t*>(of)); },
            0,
            {names.begin(), names.end()}};
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    constexpr Kind kKind = std::is_same_v<T, bool>       ? Kind::flag
                           : std::is_integral_v<T>       ? Kind::integer
                           : std::is_floating_point_v<T> ? Kind::number
                                                         : Kind::text;
    Type type{kKind, [](void* of) { return Leaf(&as<T>(of)); }};
    if constexpr (kKind == Kind::integer) type.max = std::numeric_limits<T>::max();
    return type;
  } else if constexpr (requires { typename T::value_type; }) {
    return holder_type<T>();
  } else {
    return struct_type<T>();
  }
}

}  // namespace wiremark::report
