// Published figures and ours in one picture.
#pragma once

#include <vector>

#include "report/html/page.h"
#include "report/published.h"

namespace wiremark::report {

/// Adds a picture for each `picture` that is named, with two bars in each row.
void add_published(Page& page, const std::vector<Published>& published);

}  // namespace wiremark::report
