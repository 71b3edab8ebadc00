// How a struct says what it holds: a table of fields, from which every format follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace wiremark::report {

/// What a number counts; it says its range too, and stands in the schema. `share` is per cent of a
/// whole, 0 to 100, and `load` per cent of one core. A `limit` may be none, which is null. `text`
/// is everything that is no number; a `moment` is text as format_moment() writes it.
enum class Unit : std::uint8_t {
  text,
  moment,
  count,
  bytes,
  ns,
  us,
  seconds,
  per_second,
  megabytes_per_second,
  ratio,
  share,
  load,
  limit
};

/// How a field of several results becomes one of the whole.
enum class Add : std::uint8_t {
  parts,    ///< A struct: each of its fields by its own rule. Anything else: that of the first.
  none,     ///< It is left out.
  sum,      ///< Numbers, or counts by name.
  time,     ///< The longest of runs at once, the sum of runs in turn.
  peak,     ///< The largest of runs in turn, the sum of runs at once.
  largest,  ///< Also: true where one is.
  least,
  mean,  ///< Weighted with the seconds.
};

/// The largest integer that every reader of JSON keeps exactly.
inline constexpr std::uint64_t kCountMax = (std::uint64_t{1} << 53) - 1;

/// What few fields need.
struct More {
  Add add = Add::parts;
  /// Of a number: its column of the CSV, where that is not the name. Of a struct: what the columns
  /// of its numbers begin with; nullptr: it has none. Of anything else: its column, if it has one.
  const char* column = nullptr;
  const char* most = nullptr;  ///< The field beside it that it is no larger than.
  std::uint64_t min = 0;       ///< Of a list: the fewest items.
  std::uint64_t max = kCountMax;
  bool null = false;  ///< Where there is none the document says null; otherwise nothing.
  /// Several runs at once against one target have measured the same server: of what they say of it
  /// the largest counts, where it would be added up.
  bool of_server = false;
};

struct Facts : More {
  const char* name = "";
  Unit unit = Unit::text;
  const char* help = "";
};

/// A member of `Owner`: a number, text, a struct with a table, or an optional, a vector or a
/// name-to-value list of these.
template <class Owner, class Member>
struct Field : Facts {
  using Type = Member;
  Member Owner::* member;
};

/// A struct whose fields stand in the document as if they were the owner's own. An optional one is
/// there when one of its fields is.
template <class Owner, class Member>
struct Inlined : Facts {
  using Type = Member;
  Member Owner::* member;
};

/// What follows from the other fields: it is written, and compared when it is read.
template <class Function>
struct Made : Facts {
  Function of;
};

/// Fields of the owner that stand in the document in an object of their own.
template <class... Entry>
struct Group : Facts {
  std::tuple<Entry...> entries;
};

/// What is the same in every document.
template <class Value>
struct Constant : Facts {
  Value value;
};

/// A column of the CSV that is no field of the document.
template <class Function>
struct Column : Facts {
  Function of;
};

template <class Owner, class Member>
constexpr Field<Owner, Member> field(const char* name, Member Owner::* member, Unit unit, Add add,
                                     const char* help = "", More more = {}) {
  more.add = add;
  return {{more, name, unit, help}, member};
}

template <class Owner, class Member>
constexpr Field<Owner, Member> field(const char* name, Member Owner::* member,
                                     const char* help = "", More more = {}) {
  return {{more, name, Unit::text, help}, member};
}

template <class Owner, class Member>
constexpr Inlined<Owner, Member> inlined(Member Owner::* member, More more = {}) {
  return {{more, "", Unit::text, ""}, member};
}

template <class Function>
constexpr Made<Function> made(const char* name, Unit unit, Function of, const char* help = "",
                              More more = {}) {
  return {{more, name, unit, help}, of};
}

template <class... Entry>
constexpr Group<Entry...> group(const char* name, Entry... entries) {
  return {{{}, name, Unit::text, ""}, {entries...}};
}

template <class Value>
constexpr Constant<Value> constant(const char* name, Value value) {
  return {{{}, name, Unit::text, ""}, value};
}

template <class Function>
constexpr Column<Function> column(const char* name, Function of) {
  return {{{.column = name}, name, Unit::text, ""}, of};
}

template <class... Entry>
struct Table {
  const char* name;
  bool row;  ///< An array of the values, instead of an object.
  const char* help;
  std::tuple<Entry...> entries;
};

template <class... Entry>
constexpr Table<Entry...> table(const char* name, const char* help, Entry... entries) {
  return {name, false, help, {entries...}};
}

template <class... Entry>
constexpr Table<Entry...> row_table(const char* name, const char* help, Entry... entries) {
  return {name, true, help, {entries...}};
}

/// The table of T is what fields(Of<T>) returns.
template <class T>
struct Of {};

template <class T>
concept Described = requires { fields(Of<T>{}); };

template <class T>
inline constexpr auto kTable = fields(Of<T>{});

template <class... Entry, class Visit>
void each(const std::tuple<Entry...>& entries, Visit&& visit) {
  std::apply([&](const Entry&... entry) { (visit(entry), ...); }, entries);
}

template <class T>
struct Stripped {
  using Type = T;
  static constexpr bool kOptional = false;
};
template <class T>
struct Stripped<std::optional<T>> {
  using Type = T;
  static constexpr bool kOptional = true;
};

/// Values by name, in their order.
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::vector<std::pair<std::string, T>>> = true;

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = !kIsMap<std::vector<T>>;

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T, template <class...> class Kind>
inline constexpr bool kIs = false;
template <template <class...> class Kind, class... Part>
inline constexpr bool kIs<Kind<Part...>, Kind> = true;

}  // namespace wiremark::report
