// A framer of the text protocol of memcached.
#include "wire/framing/memcached.h"

#include <algorithm>

#include "base/number.h"

namespace wiremark::wire {

namespace {

using MemcachedState = MemcachedFramer::State;

// A key has 250 bytes at most, and a line of statistics is shorter still.
constexpr std::size_t kLineMax = 2048;
constexpr std::uint64_t kValueMax = std::uint64_t{1} << 40;

constexpr std::string_view kWords[] = {
    "END",   "STORED",  "NOT_STORED",   "EXISTS",       "NOT_FOUND", "DELETED", "TOUCHED", "OK",
    "ERROR", "VERSION", "CLIENT_ERROR", "SERVER_ERROR", "RESET",     "BUSY",    "HD",      "EN",
    "NS",    "EX",      "NF",           "MN",           "ME",        "BADCLASS"};

std::string_view word(std::string_view line, std::size_t number) noexcept {
  for (; number > 0; --number) {
    const std::size_t space = line.find(' ');
    if (space == line.npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find_first_of(" \r\n"));
}

enum class After { reply, line, value, wrong };

After read_line(MemcachedState& state, std::string_view line) noexcept {
  const std::string_view first = word(line, 0);
  state.found |= first == "VALUE" || first == "VA" || first == "HD";
  if (first == "VALUE" || first == "VA") {
    const auto size = to_number<std::uint64_t>(word(line, first == "VA" ? 1 : 3));
    if (!size || *size > kValueMax) return After::wrong;
    state.left = *size + 2;
    state.lines = first == "VALUE";
    return After::value;
  }
  if (first == "STAT" || first == "ITEM") return After::line;
  const bool known = std::ranges::find(kWords, first) != std::end(kWords);
  return known || to_number<std::uint64_t>(first) ? After::reply : After::wrong;
}

// Of a value and the \r\n behind it; returns how many bytes, or 0 where it does not end there.
std::size_t take_value(MemcachedState& state, std::string_view text) noexcept {
  std::size_t taken = 0;
  if (state.left > 2) {
    taken = static_cast<std::size_t>(std::min<std::uint64_t>(state.left - 2, text.size()));
    state.left -= taken;
  }
  for (; state.left <= 2 && state.left > 0 && taken < text.size(); ++taken, --state.left) {
    if (text[taken] != (state.left == 2 ? '\r' : '\n')) return 0;
  }
  return taken;
}

Step whole(MemcachedState& state, Bytes bytes, std::size_t taken, Asked asked, bool error) {
  Step step = step_over(bytes, taken, true);
  step.error = error;
  if (asked.reads && !error) step.status = state.found ? kHit : kMiss;
  state.line.clear();
  state.lines = state.found = false;
  return step;
}

}  // namespace

Step MemcachedFramer::take(State& state, Bytes bytes, Asked asked) const {
  const std::string_view text = as_text(bytes);
  for (std::size_t at = 0; at < text.size();) {
    if (state.left > 0) {
      const std::size_t taken = take_value(state, text.substr(at));
      if (taken == 0) return step_wrong("a value is longer than its line says");
      at += taken;
      if (state.left == 0 && !state.lines) return whole(state, bytes, at, asked, false);
      continue;
    }
    const std::size_t end = text.find('\n', at);
    std::string_view line = text.substr(at, end == text.npos ? end : end + 1 - at);
    if (state.line.size() + line.size() > kLineMax) return step_wrong("a line of it does not end");
    if (end == text.npos || !state.line.empty()) {
      state.line += line;
      if (end == text.npos) break;
      line = state.line;
    }
    const After after = read_line(state, line);
    if (after == After::wrong) return step_wrong("it begins with no word of memcached's");
    at = end + 1;
    const bool error = !memcached_error_word(line).empty();
    state.line.clear();
    if (after == After::reply) return whole(state, bytes, at, asked, error);
  }
  Step step = step_over(bytes, bytes.size(), false);
  step.ahead = state.left;
  return step;
}

std::string_view memcached_error_word(std::string_view reply) noexcept {
  const std::string_view first = word(reply, 0);
  return first.ends_with("ERROR") ? first : std::string_view();
}

}  // namespace wiremark::wire
