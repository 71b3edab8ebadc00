// A framer of RESP2 and RESP3, which Redis and its relatives speak.
#include "wire/framing/resp.h"

#include <algorithm>
#include <cstring>

namespace wiremark::wire {

namespace {

using RespState = RespFramer::State;
using RespPart = RespState::Part;

// More values, or bytes of one, than any server sends; their sum stays far from 2^64.
constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 40;

bool is_aggregate(char type) noexcept { return std::strchr("*~%|", type) != nullptr; }
bool is_bulk(char type) noexcept { return std::strchr("$!=", type) != nullptr; }

const char* begin_value(RespState& state, char type) noexcept {
  if (type == 0 || !std::strchr("+-:$*_#,(!=%~|>", type)) return "it begins with no type of RESP";
  if (type == '>') return "it is a push, which no request asked for";
  // The reply is the value behind its attributes, which hold values too.
  if (!state.begun && state.values == 1 && type != '|') {
    state.begun = true;
    state.error = type == '-' || type == '!';
  }
  state.type = type;
  state.part = RespPart::line;
  state.number = state.digits = 0;
  state.negative = false;
  return nullptr;
}

// Of the line of a bulk or an aggregate.
const char* read_digit(RespState& state, char digit) noexcept {
  if (digit == '-' && state.digits == 0 && !state.negative) {
    state.negative = true;
    return nullptr;
  }
  if (digit < '0' || digit > '9') return "a length of it is no number";
  state.number = state.number * 10 + static_cast<std::uint64_t>(digit - '0');
  state.digits = 1;
  return state.number > kNumberMax ? "a length of it is over 2^40" : nullptr;
}

// The line of a value has ended: what it announced is still to come.
const char* end_line(RespState& state) noexcept {
  state.part = RespPart::type;
  if (!is_bulk(state.type) && !is_aggregate(state.type)) {
    state.found |= state.begun && state.type != '_';
    --state.values;
    return nullptr;
  }
  if (state.digits == 0) return "a length of it is missing";
  if (state.negative) {
    if (state.number != 1) return "a length of it is negative";
    --state.values;  // Null.
    return nullptr;
  }
  if (is_bulk(state.type)) {
    state.found |= state.begun;
    state.part = state.number > 0 ? RespPart::payload : RespPart::payload_cr;
    return nullptr;
  }
  const bool pairs = state.type == '%' || state.type == '|';
  state.values += state.number * (pairs ? 2 : 1);
  if (state.type != '|') --state.values;  // The reply follows behind its attributes.
  return state.values > kNumberMax ? "it has over 2^40 values" : nullptr;
}

// Takes what is at the front of `text`; returns how many bytes, or sets `wrong`.
std::size_t take_part(RespState& state, std::string_view text, const char*& wrong) noexcept {
  switch (state.part) {
    case RespPart::type:
      wrong = begin_value(state, text.front());
      return 1;
    case RespPart::line: {
      if (text.front() == '\r') {
        state.part = RespPart::line_feed;
        return 1;
      }
      if (is_bulk(state.type) || is_aggregate(state.type)) {
        wrong = read_digit(state, text.front());
        return 1;
      }
      const std::size_t end = text.find_first_of("\r\n");
      if (end != text.npos && text[end] == '\n') wrong = "a line of it ends without \\r";
      return std::min(end, text.size());
    }
    case RespPart::line_feed:
      wrong = text.front() == '\n' ? end_line(state) : "a line of it ends without \\n";
      return 1;
    case RespPart::payload: {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(state.number, text.size()));
      state.number -= size;
      if (state.number == 0) state.part = RespPart::payload_cr;
      return size;
    }
    case RespPart::payload_cr:
      if (text.front() != '\r') wrong = "a string of it is longer than its length";
      state.part = RespPart::payload_lf;
      return 1;
    case RespPart::payload_lf:
      if (text.front() != '\n') wrong = "a string of it is longer than its length";
      state.part = RespPart::type;
      --state.values;
      return 1;
  }
  return 0;
}

}  // namespace

Step RespFramer::take(State& state, Bytes bytes, Asked asked) const noexcept {
  const std::string_view text = as_text(bytes);
  std::size_t attributes = 0;  // Bytes before the value that is compared.
  for (std::size_t at = 0; at < text.size();) {
    const char* wrong = nullptr;
    const std::size_t part = take_part(state, text.substr(at), wrong);
    if (wrong) return step_wrong(wrong);
    at += part;
    if (!state.begun) attributes = at;
    if (state.values > 0) continue;
    Step step = step_over(bytes, at, true);
    step.content = step.content.subspan(attributes);
    step.error = state.error;
    if (asked.reads && !step.error) step.status = state.found ? kHit : kMiss;
    state = {};
    return step;
  }
  Step step = step_over(bytes, bytes.size(), false);
  step.content = step.content.subspan(attributes);
  if (state.part == RespPart::payload) step.ahead = state.number;
  return step;
}

std::string_view resp_command(std::string_view request) noexcept {
  // Of an array the length stands in a line, and so does that of its first value.
  for (int lines = request.starts_with('*') ? 2 : 0; lines > 0; --lines) {
    const std::size_t end = request.find('\n');
    if (end == request.npos) return {};
    request.remove_prefix(end + 1);
  }
  return request.substr(0, request.find_first_of(" \r\n"));
}

std::string_view resp_error_word(std::string_view reply) noexcept {
  RespFramer::State state;
  reply = as_text(RespFramer().take(state, as_bytes(reply), {}).content);
  if (reply.starts_with('!')) reply.remove_prefix(std::min(reply.size(), reply.find('\n') + 1));
  if (reply.starts_with('-')) reply.remove_prefix(1);
  return reply.substr(0, std::min(reply.find_first_of(" \r\n"), std::size_t{32}));
}

}  // namespace wiremark::wire
