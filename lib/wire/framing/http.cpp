// A framer of HTTP/1.0 and HTTP/1.1 responses.
#include "wire/framing/http.h"

#include <algorithm>
#include <optional>

#include "base/letters.h"
#include "base/number.h"

namespace wiremark::wire {

namespace {

using HttpState = HttpFramer::State;
using HttpPart = HttpState::Part;

// Some take it for the end of a line, and others do not (RFC 9112, section 2.2).
constexpr auto kBareReturn = "it has a \\r without \\n behind it";

constexpr std::string_view kVersion = "HTTP/1.";
// "HTTP/1.1 200"
constexpr std::size_t kStatusLineMin = 12;

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

// Calls each(token) for what stands between the commas of a header.
template <class Each>
void for_each_token(std::string_view value, Each each) {
  while (true) {
    const std::size_t comma = value.find(',');
    each(trimmed(value.substr(0, comma)));
    if (comma == value.npos) return;
    value.remove_prefix(comma + 1);
  }
}

/// What the header fields say of the body and of the connection.
struct Fields {
  std::optional<std::uint64_t> length;
  bool coded = false;    // There is a transfer coding,
  bool chunked = false;  // whose last is chunked.
  bool close = false;
  bool keep_alive = false;
};

// Several that are equal are one, in a list or in fields of their own (RFC 9110, section 8.6).
const char* read_length(Fields& fields, std::string_view value) noexcept {
  const char* wrong = nullptr;
  for_each_token(value, [&](std::string_view token) {
    const auto length = to_number<std::uint64_t>(token);
    if (!length || *length > INT64_MAX)
      wrong = "its Content-Length is no number";
    else if (fields.length && fields.length != length)
      wrong = "it has two Content-Length that differ";
    fields.length = length;
  });
  return wrong;
}

const char* read_field(Fields& fields, std::string_view line) noexcept {
  if (line.front() == ' ' || line.front() == '\t') return "a line of its head is folded";
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return "a line of its head is no field";
  const std::string_view name = line.substr(0, colon);
  if (name.back() == ' ' || name.back() == '\t') return "a field's name ends with a space";
  // Few fields are looked into; their names differ in length from most.
  if (name.size() != 10 && name.size() != 14 && name.size() != 17) return nullptr;
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (same_letters(name, "content-length")) return read_length(fields, value);
  if (same_letters(name, "transfer-encoding")) {
    fields.coded = true;
    for_each_token(
        value, [&](std::string_view token) { fields.chunked = same_letters(token, "chunked"); });
  } else if (same_letters(name, "connection")) {
    for_each_token(value, [&](std::string_view token) {
      fields.close = fields.close || same_letters(token, "close");
      fields.keep_alive = fields.keep_alive || same_letters(token, "keep-alive");
    });
  }
  return nullptr;
}

const char* read_status(HttpState& state, std::string_view line, bool& old) noexcept {
  constexpr auto kWrong = "its first line is none of HTTP/1.0 or HTTP/1.1";
  if (line.size() < kStatusLineMin || !line.starts_with(kVersion) || line[8] != ' ') return kWrong;
  if (line[7] != '0' && line[7] != '1') return kWrong;
  if (line.size() > kStatusLineMin && line[kStatusLineMin] != ' ') return kWrong;
  const auto status = to_number<std::uint16_t>(line.substr(9, 3));
  if (!status || *status < 100) return kWrong;
  state.status = *status;
  old = line[7] == '0';
  return nullptr;
}

// How the body is told apart from what follows, once the head is known.
const char* choose_body(HttpState& state, const Fields& fields, bool old, Asked asked) noexcept {
  state.last = fields.close || (old && !fields.keep_alive);
  state.left = 0;
  state.part = HttpPart::body;
  if (state.status == 101) return "it switches to another protocol (101)";
  if (state.status < 200) {
    state.part = HttpPart::head;
    state.last = false;
    return nullptr;
  }
  if (asked.head || state.status == 204 || state.status == 304) return nullptr;
  if (fields.coded) {
    if (fields.length) return "it has Content-Length beside Transfer-Encoding";
    state.part = fields.chunked ? HttpPart::chunk_size : HttpPart::until_close;
    state.digits = false;
  } else if (fields.length) {
    state.left = *fields.length;
  } else {
    state.part = HttpPart::until_close;
  }
  if (state.part == HttpPart::until_close) state.last = true;
  return nullptr;
}

// A head up to and with its empty line.
const char* read_head(HttpState& state, std::string_view head, Asked asked) noexcept {
  bool old = false;
  Fields fields;
  for (bool first = true;; first = false) {
    const std::size_t end = head.find('\n');
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (line.contains('\r')) return kBareReturn;
    if (const char* wrong = first ? read_status(state, line, old) : read_field(fields, line))
      return wrong;
    head.remove_prefix(end + 1);
  }
  return choose_body(state, fields, old, asked);
}

// The end of a head that may begin before `from`: behind its empty line, or npos.
std::size_t end_of_head(std::string_view text, std::size_t from) noexcept {
  for (std::size_t at = text.find('\n', from); at != text.npos; at = text.find('\n', at + 1)) {
    if (text.substr(at + 1, 1) == "\n") return at + 2;
    if (text.substr(at + 1, 2) == "\r\n") return at + 3;
  }
  return text.npos;
}

// Takes as much of a head as `text` has; returns how many bytes.
std::size_t take_head(HttpState& state, std::string_view text, Asked asked, const char*& wrong) {
  const std::size_t before = state.head.size();
  std::string_view head = text;
  if (before > 0) head = state.head.append(text);
  const std::size_t known = std::min(head.size(), kVersion.size());
  const std::size_t end = end_of_head(head, before > 2 ? before - 3 : 0);
  if (head.substr(0, known) != kVersion.substr(0, known))
    wrong = "it does not begin with HTTP/1";
  else if (std::min(end, head.size()) > HttpFramer::kHeadMax)
    wrong = "its head is longer than 64 KiB";
  if (wrong) return 0;
  if (end == head.npos) {
    if (before == 0) state.head = text;
    return text.size();
  }
  wrong = read_head(state, head.substr(0, end), asked);
  state.head.clear();
  return end - before;
}

const char* take_size(HttpState& state, char c) noexcept {
  const auto digit = static_cast<unsigned>(c >= '0' && c <= '9'   ? c - '0'
                                           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                                  : 16);
  if (digit < 16) {
    if (state.left >> 58 != 0) return "a chunk is over 2^62 bytes long";
    state.left = state.left * 16 + digit;
    state.digits = true;
    return nullptr;
  }
  if (!state.digits) return "a chunk has no size";
  if (c == ';' || c == ' ' || c == '\t')
    state.part = HttpPart::chunk_extension;
  else if (c == '\r')
    state.part = HttpPart::chunk_line_feed;
  else
    return "a chunk's size is no number";
  return nullptr;
}

void end_size_line(HttpState& state) noexcept {
  state.part = state.left > 0 ? HttpPart::chunk : HttpPart::trailer;
  state.line = 0;
  state.carriage = false;
}

// One byte of what stands between the chunks; true where the reply ends with it.
bool take_between(HttpState& state, char c, const char*& wrong) noexcept {
  switch (state.part) {
    case HttpPart::chunk_size:
      wrong = take_size(state, c);
      break;
    case HttpPart::chunk_extension:
      if (c == '\r') state.part = HttpPart::chunk_line_feed;
      if (c == '\n') wrong = "a chunk's size ends without \\r";
      break;
    case HttpPart::chunk_line_feed:
      if (c != '\n') wrong = kBareReturn;
      end_size_line(state);
      break;
    case HttpPart::chunk_end:
      if (c == '\r' && !state.carriage) {
        state.carriage = true;
      } else if (c == '\n' && state.carriage) {
        state.part = HttpPart::chunk_size;
        state.digits = false;
      } else {
        wrong = "a chunk is longer than its size";
      }
      break;
    case HttpPart::trailer:
      if (c == '\n') {
        if (state.line == 0) return true;
        state.line = 0;
        state.carriage = false;
      } else if (state.carriage) {
        wrong = kBareReturn;
      } else if (c == '\r') {
        state.carriage = true;
      } else {
        ++state.line;
      }
      break;
    default:
      break;
  }
  return false;
}

Step whole(HttpState& state, std::size_t taken, Bytes content) {
  const Step step{.taken = taken,
                  .content = content,
                  .status = state.status,
                  .whole = true,
                  .error = state.status >= 400,
                  .last = state.last};
  state.part = HttpPart::head;
  state.head.clear();
  return step;
}

}  // namespace

Step HttpFramer::take(State& state, Bytes bytes, Asked asked) const {
  const std::string_view text = as_text(bytes);
  std::size_t at = 0;
  while (at < text.size()) {
    const char* wrong = nullptr;
    switch (state.part) {
      case HttpPart::head:
        at += take_head(state, text.substr(at), asked, wrong);
        if (wrong) return step_wrong(wrong);
        if (state.part == HttpPart::body && state.left == 0) return whole(state, at, {});
        break;
      case HttpPart::body:
      case HttpPart::chunk: {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(state.left, text.size() - at));
        const Bytes content = bytes.subspan(at, size);
        state.left -= size;
        at += size;
        if (state.left == 0 && state.part == HttpPart::body) return whole(state, at, content);
        const std::uint64_t ahead = state.left;
        if (state.left == 0) state.part = HttpPart::chunk_end;
        return {.taken = at, .content = content, .ahead = ahead};
      }
      case HttpPart::until_close:
        return {.taken = text.size(), .content = bytes.subspan(at)};
      default:
        if (take_between(state, text[at++], wrong)) return whole(state, at, {});
        if (wrong) return step_wrong(wrong);
    }
  }
  return {.taken = at};
}

Step HttpFramer::close(State& state) const {
  if (state.part != HttpPart::until_close) return {};
  return whole(state, 0, {});
}

}  // namespace wiremark::wire
