// A framer of replies that end with a text, such as an empty line.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "wire/framing/step.h"

namespace wiremark::wire {

/// Replies up to and with `end`, which is not empty. Knuth, Morris and Pratt: no byte is looked at
/// twice, though a delimiter may begin within one that failed.
class UntilFramer {
 public:
  struct State {
    std::size_t matched = 0;  // Bytes of the end that the last ones were.
  };

  explicit UntilFramer(std::string end) : end_(std::move(end)), next_(end_.size()) {
    for (std::size_t at = 1, length = 0; at < end_.size(); ++at) {
      while (length > 0 && end_[at] != end_[length]) length = next_[length - 1];
      if (end_[at] == end_[length]) ++length;
      next_[at] = length;
    }
  }

  Step take(State& state, Bytes bytes, Asked) const noexcept {
    const std::string_view text = as_text(bytes);
    std::size_t matched = state.matched;
    for (std::size_t at = 0; at < text.size();) {
      if (matched == 0) {
        const void* found = std::memchr(text.data() + at, end_.front(), text.size() - at);
        if (!found) break;
        at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
        matched = 1;
      } else if (text[at] == end_[matched]) {
        ++matched;
        ++at;
      } else {
        matched = next_[matched - 1];
        continue;
      }
      if (matched == end_.size()) {
        state.matched = 0;
        return step_over(bytes, at, true);
      }
    }
    state.matched = matched;
    return step_over(bytes, bytes.size(), false);
  }

 private:
  std::string end_;
  std::vector<std::size_t> next_;  // The longest beginning of the end that ends at each place.
};

}  // namespace wiremark::wire
