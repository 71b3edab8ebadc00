// How a struct says what it holds: a table of fields, from which every format follows.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace wiremark::report {

/// What a number counts; it says its range too, and stands in the schema. `share` is per cent of a
/// whole, 0 to 100, and `load` per cent of one core. All but
/// `us_either_way` are 0 or more. A `limit` may be none, which is null. `text`
/// is everything that is no number; a `moment` is text as format_moment() writes it.
enum class Unit : std::uint8_t {
  text,
  moment,
  count,
  bytes,
  ns,
  us,
  us_either_way,
  seconds,
  per_second,
  megabytes_per_second,
  ratio,
  share,
  load,
  limit
};

/// How a field of several results becomes one of the whole. What not all have is left out.
enum class Add : std::uint8_t {
  parts,    ///< A struct: each of its fields by its own rule. Anything else: that of the first.
  none,     ///< It is left out.
  sum,      ///< Numbers, or counts by name.
  time,     ///< The longest of runs at once, the sum of runs in turn.
  peak,     ///< The largest of runs in turn, the sum of runs at once.
  largest,  ///< Of those that have it. Of flags: true where one is.
  least,
  mean,  ///< Weighted with the seconds.
  join,  ///< Texts, or texts by name: those that differ, with commas between them.
};

/// The largest integer that every reader of JSON keeps exactly.
inline constexpr std::uint64_t kCountMax = (std::uint64_t{1} << 53) - 1;

/// What few fields need.
struct More {
  /// Of a number: its column of the CSV, where that is not the name. Of a struct: what the columns
  /// of its numbers begin with; nullptr: it has none. Of anything else: its column, if it has one.
  const char* column = nullptr;
  const char* most = nullptr;    ///< The field beside it that it is no larger than.
  const char* beside = nullptr;  ///< The field that must stand where this one does.
  std::uint64_t min = 0;         ///< Of a list: the fewest items.
  std::uint64_t max = kCountMax;
  bool null = false;  ///< Where there is none the document says null; otherwise nothing.
  /// Several runs at once against one target have measured the same server: of what they say of it
  /// the largest counts, where it would be added up.
  bool of_server = false;
  /// Of an optional part, as a sum is told to be without it where not every run has it: "packets".
  const char* missed = nullptr;
  bool rows = false;  ///< Of a list: each item is a row of the CSV, behind what stands beside it.
};

/// Where a value comes from: read from the document; computed from what was read, and compared with
/// what the document says; the same in every document; or computed for the CSV alone.
enum class Source : std::uint8_t { kept, made, constant, column };

/// The unit of a field and how it is added up; both have a default.
struct Rule {
  Unit unit = Unit::text;
  Add add = Add::parts;

  constexpr Rule() = default;
  constexpr Rule(Unit counts) : unit(counts) {}
  constexpr Rule(Add how) : add(how) {}
  constexpr Rule(Unit counts, Add how) : unit(counts), add(how) {}
};

/// What most figures are.
inline constexpr Rule kCounted{Unit::count, Add::sum};

struct Facts : More, Rule {
  /// Its name, behind those of the objects that it stands in: "cpu/process/pct". A struct at "" has
  /// its fields beside those of its owner.
  const char* place = "";
  const char* help = "";
  Source source = Source::kept;
};

/// A member of `Owner`: a number, text, an enum, a struct with a table, or an optional, a vector or
/// a name-to-value list of these.
template <class Owner, class Member>
struct Field : Facts {
  Member Owner::* member;
  constexpr const Member& of(const Owner& owner) const { return owner.*member; }
};

/// What a function makes of the owner.
template <class Function>
struct Made : Facts {
  Function of;
};

template <class Owner, class Member>
constexpr Field<Owner, Member> field(const char* place, Member Owner::* member, Rule rule,
                                     const char* help = "", More more = {}) {
  return {{more, rule, place, help}, member};
}

template <class Owner, class Member>
constexpr auto field(const char* place, Member Owner::* member, const char* help = "",
                     More more = {}) {
  return field(place, member, Rule(), help, more);
}

template <class Function>
constexpr Made<Function> made(const char* place, Unit unit, Function of, const char* help = "",
                              More more = {}) {
  return {{more, unit, place, help, Source::made}, of};
}

template <class Value>
constexpr auto constant(const char* place, Value value) {
  const auto of = [value](const auto&) { return value; };
  return Made<decltype(of)>{{{}, {}, place, "", Source::constant}, of};
}

/// A column that only the CSV has. A field without a column may have the same name.
template <class Function>
constexpr Made<Function> column(const char* name, Function of) {
  return {{{.column = name}, {}, name, "", Source::column}, of};
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

/// The table of T is what fields(Of<T>) returns, and the names of an enum's values names_of(Of<T>).
template <class T>
struct Of {};

template <class T>
concept Described = requires { fields(Of<T>{}); };

template <class T>
inline constexpr auto kTable = fields(Of<T>{});

template <class T>
concept InRow = Described<T> && kTable<T>.row;

/// Calls `visit` with each line of the table of T.
template <Described T, class Visit>
void each(Visit&& visit) {
  std::apply([&](const auto&... entry) { (visit(entry), ...); }, kTable<T>.entries);
}

}  // namespace wiremark::report
