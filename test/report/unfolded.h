// Text as it was before its sentences were folded: any spaces and ends of lines are one space.
#pragma once

#include <string>
#include <string_view>

inline std::string unfolded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || (!result.empty() && result.back() != ' ')) result += space ? ' ' : c;
  }
  return result;
}
