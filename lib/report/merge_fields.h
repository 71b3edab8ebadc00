// What a table says, done as a sum: one struct added to another of its kind, field by field.
#pragma once

#include <algorithm>

#include "report/fields.h"

namespace wiremark::report {

/// How the runs lay in time: side by side, as several generators of one load do, or one after the
/// other.
enum class Order { at_once, in_turn };

struct Adding {
  Order order = Order::at_once;
  double weight = 0;         ///< Of what has been added up; its seconds.
  double weight_more = 0;    ///< Of what is added to it.
  bool same_server = false;  ///< Both have measured one server at the same time.
  bool of_server = false;    ///< What is added is what they say of the server.
};

template <class Number>
void add_number(Number& into, Number more, Add how, const Adding& adding) {
  const bool in_turn = adding.order == Order::in_turn;
  if ((how == Add::time && !in_turn) || (how == Add::peak && in_turn)) how = Add::largest;
  if (how == Add::time || how == Add::peak) how = Add::sum;
  if (how == Add::sum && adding.same_server && adding.of_server) how = Add::largest;
  if (how == Add::sum) into += more;
  if (how == Add::largest) into = std::max(into, more);
  if (how == Add::least) into = std::min(into, more);
  if constexpr (std::is_floating_point_v<Number>) {
    const double weights = adding.weight + adding.weight_more;
    // Rounded, the mean can pass both.
    if (how == Add::mean)
      into = weights > 0 ? std::min(std::max(into, more),
                                    (into * adding.weight + more * adding.weight_more) / weights)
                         : 0;
  }
}

template <class T, class... E>
void add_entries(T& into, const T& more, const std::tuple<E...>& entries, const Adding& adding);

template <class T>
void add_value(T& into, const T& more, const Facts& facts, const Adding& adding) {
  if (facts.add == Add::none) {
    into = T();
  } else if constexpr (Stripped<T>::kOptional) {
    // What one of them has not belongs to no whole.
    if (into && more) {
      add_value(*into, *more, facts, adding);
    } else {
      into.reset();
    }
  } else if constexpr (Described<T>) {
    if constexpr (requires { add(into, more); }) {
      add(into, more);
    } else {
      add_entries(into, more, kTable<T>.entries, adding);
    }
  } else if constexpr (kIsMap<T>) {
    if (facts.add != Add::sum) return;
    if constexpr (kIsNumber<typename T::value_type::second_type>) {
      for (const auto& [name, count] : more) {
        const auto known = std::ranges::find(into, name, &T::value_type::first);
        known == into.end() ? void(into.emplace_back(name, count)) : void(known->second += count);
      }
    }
  } else if constexpr (kIsNumber<T>) {
    add_number(into, more, facts.add, adding);
  } else if constexpr (!kIsList<T>) {
    if (facts.add == Add::largest) into = std::max(into, more);
    if (facts.add == Add::least) into = std::min(into, more);
  }
}

template <class T, class... E>
void add_entries(T& into, const T& more, const std::tuple<E...>& entries, const Adding& adding) {
  each(entries, [&]<class Entry>(const Entry& entry) {
    if constexpr (kIs<Entry, Field> || kIs<Entry, Inlined>) {
      Adding inner = adding;
      inner.of_server |= entry.of_server;
      add_value(into.*entry.member, more.*entry.member, entry, inner);
    } else if constexpr (kIs<Entry, Group>) {
      add_entries(into, more, entry.entries, adding);
    }
  });
}

}  // namespace wiremark::report
