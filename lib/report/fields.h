// What a struct says of its fields, so that every format follows.
// A struct has a member `void fields(auto& f)`, or beside a struct of another room stands
// `fields(f, owner)`, which calls `f` for each line: type.h has what it takes.
#pragma once

#include <cstdint>

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
  any,      ///< That of the first that has it.
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
  /// Of counts by name: where a sum has 256 names, what every other name is added to.
  const char* rest = nullptr;
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

/// The names of the values of an enum, in their order, are what names_of(Of<T>) returns.
template <class T>
struct Of {};

}  // namespace wiremark::report
