// Guesses what a mistyped word was meant to be.
#include "suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace wiremark::tools {

namespace {

// Characters to insert, drop, replace, or swap with their neighbour (optimal string alignment).
std::size_t keystrokes(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

std::string suggestion(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t kBeginningMin = 3;
  std::size_t nearest = std::max<std::size_t>(1, typed.size() / 4) + 1;
  std::string found;
  for (const std::string& word : words) {
    if (typed.size() >= kBeginningMin && word.starts_with(typed)) return word;
    const std::size_t distance = keystrokes(typed, word);
    if (distance >= nearest) continue;
    nearest = distance;
    found = word;
  }
  return found;
}

}  // namespace wiremark::tools
