// Two documents of one kind added up, each part as its line in the table says.
#pragma once

#include "report/merge.h"
#include "report/shape.h"

namespace wiremark::report {

struct Adding {
  Order order = Order::at_once;
  double weight = 0;         ///< Of what has been added up; its seconds.
  double weight_more = 0;    ///< Of what is added to it.
  bool same_server = false;  ///< Both have measured one server at the same time.
  bool of_server = false;    ///< What is added is what they say of the server.
};

/// Adds `more` to `into`; both are as `shape` has it. What not both have is left out, and what
/// follows from the rest stays as it was: read() makes it anew.
void add(Json& into, const Json& more, const Shape& shape, Adding adding);

}  // namespace wiremark::report
