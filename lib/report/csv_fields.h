// What a table says, done as columns: a number each, and whatever else names a column.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "report/fields.h"

namespace wiremark::report {

/// Whether a cell can hold it: a number, a flag, text, and lists and maps of these.
template <class T>
inline constexpr bool kIsCell =
    std::is_arithmetic_v<T> || std::is_constructible_v<std::string_view, T>;
template <class T>
inline constexpr bool kIsCell<std::vector<T>> = kIsCell<T>;
template <class T>
inline constexpr bool kIsCell<std::vector<std::pair<std::string, T>>> = kIsCell<T>;

template <class T>
std::string cell_of(const T& value) {
  if constexpr (Stripped<T>::kOptional) {
    return value ? cell_of(*value) : std::string();
  } else if constexpr (kIsMap<T>) {
    std::string text;
    for (const auto& [name, part] : value)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, part);
    return text;
  } else if constexpr (kIsList<T>) {
    std::string text;
    for (const auto& part : value) text += fmt::format("{}{}", text.empty() ? "" : "; ", part);
    return text;
  } else {
    return fmt::format("{}", value);
  }
}

/// Calls `add(name, cell)` for each column of T, in the order of its table; where there is no
/// `owner`, cells are empty.
template <class T, class... E, class AddColumn>
void columns_of(const T* owner, const std::tuple<E...>& entries, const std::string& prefix,
                AddColumn&& add) {
  const auto add_cell = [&](const Facts& facts, bool number, auto&& value_of) {
    if (!number && !facts.column) return;
    add(prefix + (facts.column ? facts.column : facts.name),
        owner ? cell_of(value_of(*owner)) : std::string());
  };
  each(entries, [&]<class Entry>(const Entry& entry) {
    if constexpr (kIs<Entry, Group>) {
      columns_of(owner, entry.entries, prefix, add);
    } else if constexpr (kIs<Entry, Made> || kIs<Entry, Column>) {
      using Value = typename Stripped<decltype(entry.of(*owner))>::Type;
      add_cell(entry, kIsNumber<Value>, entry.of);
    } else if constexpr (kIs<Entry, Field> || kIs<Entry, Inlined>) {
      using Part = Stripped<typename Entry::Type>;
      if constexpr (Described<typename Part::Type>) {
        if (!entry.column) return;
        const typename Part::Type* part = nullptr;
        if constexpr (Part::kOptional) {
          if (owner && owner->*entry.member) part = &*(owner->*entry.member);
        } else if (owner) {
          part = &(owner->*entry.member);
        }
        columns_of(part, kTable<typename Part::Type>.entries, prefix + entry.column, add);
      } else if constexpr (kIsCell<typename Part::Type>) {
        add_cell(entry, kIsNumber<typename Part::Type>,
                 [&](const T& of) -> const auto& { return of.*entry.member; });
      }
    }
  });
}

}  // namespace wiremark::report
