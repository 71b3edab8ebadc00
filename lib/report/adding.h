// Two structs added up, each field by the rule that its table gives.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "report/merge.h"
#include "report/type.h"

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

void add_fields(const Type& type, void* into, void* more, const Adding& adding);

// Made in json.cpp.
extern template const Type& type_of<RunResult>();
extern template const Type& type_of<Interval>();

/// Adds `more` to `into`. What one of them lacks is left out, but for the largest of a figure.
template <class T>
void add_fields(T& into, T more, const Adding& adding) {
  add_fields(type_of<T>(), &into, &more, adding);
}

}  // namespace wiremark::report
