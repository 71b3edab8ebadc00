// Lists as users write them: items with commas between them.
#include "base/list.h"

#include <algorithm>
#include <cstddef>

namespace wiremark {

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> items;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    items.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

}  // namespace wiremark
