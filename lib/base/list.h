// Lists as users write them: items with commas between them.
#pragma once

#include <string_view>
#include <vector>

namespace wiremark {

/// The items of "a,b,c", in order; they borrow `list`. Between two commas, and where the list is
/// empty, there is an empty item: whoever reads the items can refuse it.
std::vector<std::string_view> split_list(std::string_view list);

}  // namespace wiremark
