// Two documents of one kind added up, each part as its line in the table says.
#include "report/adding.h"

namespace wiremark::report {

namespace {

// What the rule comes to for these runs.
Add rule_of(const Shape& shape, const Adding& adding) {
  const bool in_turn = adding.order == Order::in_turn;
  if (shape.add == Add::time) return in_turn ? Add::sum : Add::largest;
  if (shape.add == Add::peak && in_turn) return Add::largest;
  const bool adds_up = shape.add == Add::sum || shape.add == Add::peak;
  if (!adds_up) return shape.add;
  return adding.same_server && adding.of_server ? Add::largest : Add::sum;
}

double mean_of(double into, double more, const Adding& adding) {
  const double weights = adding.weight + adding.weight_more;
  if (weights <= 0) return 0;
  const double mean = (into * adding.weight + more * adding.weight_more) / weights;
  return std::min(std::max(into, more), mean);  // Rounded, it can pass both.
}

void add_figure(Json& into, const Json& more, Add rule, const Adding& adding) {
  if (rule == Add::sum && into.is_number_float()) into = into.get<double>() + more.get<double>();
  if (rule == Add::sum && into.is_number_integer())
    into = into.get<std::uint64_t>() + more.get<std::uint64_t>();
  if (rule == Add::largest) into = std::max(into, more);
  if (rule == Add::least) into = std::min(into, more);
  if (rule == Add::mean) into = mean_of(into, more, adding);
}

}  // namespace

void add(Json& into, const Json& more, const Shape& shape, Adding adding) {
  adding.of_server |= shape.of_server;
  if (shape.sum) {
    into = shape.sum(into, more);
  } else if (shape.kind == Kind::object) {
    for (const Shape& part : shape.parts) {
      const Json* one = find(into, part.name);
      const Json* other = find(more, part.name);
      if (!one) continue;
      if (part.add == Add::none || !other || one->is_null() || other->is_null()) {
        into.erase(part.name);
      } else {
        add(into[part.name], *other, part, adding);
      }
    }
  } else if (shape.kind == Kind::map && shape.add == Add::sum) {
    for (const auto& [name, count] : more.items()) {
      if (!into.contains(name)) into[name] = 0U;
      add_figure(into[name], count, Add::sum, adding);
    }
  } else {
    add_figure(into, more, rule_of(shape, adding), adding);
  }
}

}  // namespace wiremark::report
