// What the rows of a table let be concluded, as one sentence.
#pragma once

#include <string>
#include <vector>

#include "measure/cell.h"

namespace wiremark::measure {

/// Rows that do the same work in the same way are compared, the fastest with the next, repeat by
/// repeat. Of one such group all is said: "json:own has 0.61 (0.60 to 0.63, 96.9 % confidence, 6
/// rounds) of json:nlohmann's time in packet/ascii/decode/hot", or "cannot tell". Of several, how
/// often each row's codec is surely the fastest, and how many groups cannot tell. Empty where no
/// two rows do the same.
std::string conclusion_of(const std::vector<Cell>& cells);

}  // namespace wiremark::measure
