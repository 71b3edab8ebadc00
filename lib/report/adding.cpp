// Two structs added up, each field by the rule that its table gives.
#include "report/adding.h"

#include <algorithm>
#include <type_traits>

namespace wiremark::report {

namespace {

// What the rule of a field comes to for these two runs.
Add rule_of(Add rule, const Adding& adding) {
  const bool in_turn = adding.order == Order::in_turn;
  if (rule == Add::time) return in_turn ? Add::sum : Add::largest;
  if (rule == Add::peak && in_turn) return Add::largest;
  if (rule != Add::sum && rule != Add::peak) return rule;
  return adding.same_server && adding.of_server ? Add::largest : Add::sum;
}

double mean_of(double into, double more, const Adding& adding) {
  const double weights = adding.weight + adding.weight_more;
  if (weights <= 0) return 0;
  const double mean = (into * adding.weight + more * adding.weight_more) / weights;
  return std::min(std::max(into, more), mean);  // Rounding can take it above both.
}

void join(std::string& into, const std::string& more) {
  if ((", " + into + ", ").find(", " + more + ", ") == std::string::npos) into += ", " + more;
}

template <class T>
void add_leaf(T& into, const T& more, Add rule, const Adding& adding) {
  if (rule == Add::any && into == T()) into = more;
  if (rule == Add::largest) into = std::max(into, more);
  if (rule == Add::least) into = std::min(into, more);
  if constexpr (std::is_same_v<T, std::string>) {
    if (rule == Add::join) join(into, more);
  } else if constexpr (!std::is_same_v<T, bool>) {
    if (rule == Add::sum) into = static_cast<T>(into + more);
  }
  if constexpr (std::is_same_v<T, double>) {
    if (rule == Add::mean) into = mean_of(into, more, adding);
  }
}

void add_value(const Type& type, void* into, void* more, const Facts& facts, Adding adding);

// By name: sums of all names, and others of the names that `into` has.
void add_map(const Type& type, void* into, void* more, const Facts& facts, const Adding& adding) {
  constexpr std::size_t kNamesMax = 256;
  for (std::size_t i = 0; i < type.size(more); ++i) {
    std::string_view name = type.name(more, i);
    std::size_t at = place_of(type, into, name);
    if (at == type.size(into) && at >= kNamesMax && facts.rest)
      at = place_of(type, into, name = facts.rest);
    if (at == type.size(into)) {
      if (rule_of(facts.add, adding) != Add::sum) continue;
      type.append(into, std::string(name));
    }
    add_value(*type.part, type.item(into, at), type.item(more, i), facts, adding);
  }
}

void add_optional(const Type& type, void* into, void* more, const Facts& facts,
                  const Adding& adding) {
  const bool of_any = facts.add == Add::any || rule_of(facts.add, adding) == Add::largest;
  const bool has_more = type.size(more) > 0;
  if (of_any && has_more && type.size(into) == 0) type.append(into, {});  // 0, or no text.
  const bool has = type.size(into) > 0;
  if (has && has_more)
    return add_value(*type.part, type.item(into, 0), type.item(more, 0), facts, adding);
  if (of_any) return;
  if (adding.missed && facts.missed && (has || has_more) &&
      std::ranges::find(*adding.missed, facts.missed, &Missed::value_type::first) ==
          adding.missed->end())
    adding.missed->emplace_back(facts.missed, has ? adding.place : 0);
  type.clear(into);
}

void add_value(const Type& type, void* into, void* more, const Facts& facts, Adding adding) {
  adding.of_server |= facts.of_server;
  const Add rule = rule_of(facts.add, adding);
  if (rule == Add::none) return type.clear(into);
  if (type.kind == Kind::optional) return add_optional(type, into, more, facts, adding);
  if (type.kind == Kind::map) return add_map(type, into, more, facts, adding);
  if (type.kind == Kind::object) return add_fields(type, into, more, adding);
  if (!type.leaf || type.kind == Kind::choice) return;
  std::visit(
      [&]<class T>(T* leaf) { add_leaf(*leaf, *std::get<T*>(type.leaf(more)), rule, adding); },
      type.leaf(into));
}

}  // namespace

void add_fields(const Type& type, void* into, void* more, const Adding& adding) {
  if (type.add) return type.add(into, more);
  for (const Field& field : type.fields) {
    if (field.source == Source::kept)
      add_value(*field.type, field.of(into).get(), field.of(more).get(), field, adding);
  }
}

}  // namespace wiremark::report
