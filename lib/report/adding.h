// Two structs added up, each field by the rule that its table gives.
#pragma once

#include <algorithm>

#include "report/merge.h"
#include "report/shape.h"

namespace wiremark::report {

/// What a sum is without because some run lacks it (More::missed), and the place of the first such
/// run.
using Missed = std::vector<std::pair<std::string_view, std::size_t>>;

struct Adding {
  Order order = Order::at_once;
  double weight = 0;         ///< Seconds of what has been added up so far.
  double weight_more = 0;    ///< Seconds of what is added to it.
  bool same_server = false;  ///< Both have measured one server at the same time.
  bool of_server = false;    ///< The fields describe that server.
  std::size_t place = 0;     ///< Of what is added, among all that are; the first has 0.
  Missed* missed = nullptr;  ///< Takes what is left out.
};

template <class T>
void add_fields(T& into, const T& more, const Adding& adding);

// What the rule of a field comes to for these two runs.
inline Add rule_of(Add rule, const Adding& adding) {
  const bool in_turn = adding.order == Order::in_turn;
  if (rule == Add::time) return in_turn ? Add::sum : Add::largest;
  if (rule == Add::peak && in_turn) return Add::largest;
  if (rule != Add::sum && rule != Add::peak) return rule;
  return adding.same_server && adding.of_server ? Add::largest : Add::sum;
}

inline double mean_of(double into, double more, const Adding& adding) {
  const double weights = adding.weight + adding.weight_more;
  if (weights <= 0) return 0;
  const double mean = (into * adding.weight + more * adding.weight_more) / weights;
  return std::min(std::max(into, more), mean);  // Rounding can take it above both.
}

inline void join(std::string& into, const std::string& more) {
  if ((", " + into + ", ").find(", " + more + ", ") == std::string::npos) into += ", " + more;
}

// Of the names that `into` has.
inline void join(std::vector<std::pair<std::string, std::string>>& into,
                 const std::vector<std::pair<std::string, std::string>>& more) {
  for (auto& [name, value] : into) {
    const auto found = std::ranges::find(more, name, [](const auto& one) { return one.first; });
    if (found != more.end()) join(value, found->second);
  }
}

template <class T>
void add_value(T& into, const T& more, const Facts& facts, Adding adding) {
  adding.of_server |= facts.of_server;
  const Add rule = rule_of(facts.add, adding);
  if (rule == Add::none) {
    into = T();
  } else if constexpr (kIsOptional<T>) {
    if (into && more) return add_value(*into, *more, facts, adding);
    if (rule == Add::largest) return void(into = into ? into : more);
    if (adding.missed && facts.missed && (into || more) &&
        std::ranges::find(*adding.missed, facts.missed, &Missed::value_type::first) ==
            adding.missed->end())
      adding.missed->emplace_back(facts.missed, into ? adding.place : 0);
    into.reset();
  } else if (rule == Add::join) {
    if constexpr (requires { join(into, more); }) join(into, more);
  } else if constexpr (requires { add(into, more); }) {
    add(into, more);
  } else if constexpr (Described<T>) {
    add_fields(into, more, adding);
  } else if constexpr (std::is_same_v<T, ErrorCounts>) {
    for (const auto& [kind, count] : more) add_error(into, kind, count);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    if (rule == Add::largest) into = std::max(into, more);
    if (rule == Add::least) into = std::min(into, more);
    if constexpr (std::is_floating_point_v<T>) {
      if (rule == Add::mean) into = mean_of(into, more, adding);
    }
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (rule == Add::sum) into += more;
    }
  }
}

/// Adds `more` to `into`. What one of them lacks is left out, but for the largest of a figure.
template <class T>
void add_fields(T& into, const T& more, const Adding& adding) {
  each<T>([&]<class Entry>(const Entry& entry) {
    if constexpr (requires { entry.member; })
      add_value(into.*entry.member, more.*entry.member, entry, adding);
  });
}

}  // namespace wiremark::report
