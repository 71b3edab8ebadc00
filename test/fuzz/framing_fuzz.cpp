// Every framer on any bytes: cut anywhere it says the same, and what it takes for a whole reply is
// what a reader says that has all bytes before it and reads them again from the front.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/framing/binary.h"
#include "wire/framing/dns.h"
#include "wire/framing/http.h"
#include "wire/framing/memcached.h"
#include "wire/framing/resp.h"
#include "wire/framing/until.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

using Size = std::optional<std::size_t>;  // Of the first reply; none where it is not whole.

struct Outcome {
  std::vector<std::size_t> sizes;
  std::string content;  // Of the whole replies.
  bool wrong = false;

  bool operator==(const Outcome&) const = default;
};

// The pieces are `step` bytes long, or all there is.
template <class F>
Outcome read(const F& framer, std::string_view text, std::size_t step) {
  Outcome outcome;
  typename F::State state;
  std::size_t size = 0;
  std::string content;
  while (!text.empty()) {
    Bytes piece = as_bytes(text.substr(0, step));
    text.remove_prefix(piece.size());
    while (!piece.empty()) {
      const Step taken = framer.take(state, piece, {.size = 3});
      outcome.wrong = taken.wrong != nullptr;
      if (outcome.wrong) return outcome;
      if (taken.taken == 0 || taken.taken > piece.size()) std::abort();
      size += taken.taken;
      content += as_text(taken.content);
      piece = piece.subspan(taken.taken);
      if (!taken.whole) continue;
      outcome.sizes.push_back(std::exchange(size, 0));
      outcome.content += std::exchange(content, {});
    }
  }
  return outcome;
}

template <class F, class Naive>
void compare(const F& framer, Naive naive, std::string_view text, std::size_t step) {
  const Outcome whole = read(framer, text, text.size());
  if (!(whole == read(framer, text, step))) std::abort();
  std::size_t at = 0;
  for (const std::size_t size : whole.sizes) {
    if (naive(text.substr(at)) != Size(size)) std::abort();
    at += size;
  }
  if (naive(text.substr(at))) std::abort();  // It saw one more.
}

Size naive_until(std::string_view text, std::string_view end) {
  const std::size_t at = text.find(end);
  return at == text.npos ? Size() : Size(at + end.size());
}

Size within(std::string_view text, std::int64_t size) {
  return size >= 0 && static_cast<std::uint64_t>(size) <= text.size()
             ? Size(static_cast<std::size_t>(size))
             : Size();
}

Size naive_prefix(std::string_view text, const PrefixForm& form) {
  if (text.size() < form.offset + form.width) return {};
  std::uint64_t value = 0;
  for (unsigned i = 0; i < form.width; ++i) {
    const unsigned at = form.big ? i : form.width - 1 - i;
    value = value << 8 | static_cast<unsigned char>(text[form.offset + at]);
  }
  if (value > text.size() + 100) return {};
  const std::int64_t follows = static_cast<std::int64_t>(value) + form.adjust;
  if (follows < 0) return {};
  return within(text, static_cast<std::int64_t>(form.offset + form.width) + follows);
}

Size naive_varint(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (i == 9 && byte > 1) return {};
    value |= std::uint64_t(byte & 0x7f) << 7 * i;
    if (byte >= 0x80) continue;
    if (value > text.size()) return {};
    return within(text, static_cast<std::int64_t>(i + 1 + value));
  }
  return {};
}

// A number of digits only, up to 2^40.
std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t value = 0;
  if (text.empty()) return {};
  for (const char c : text) {
    if (c < '0' || c > '9' || value > std::int64_t{1} << 40) return {};
    value = value * 10 + (c - '0');
  }
  return value > std::int64_t{1} << 40 ? std::nullopt : std::optional(value);
}

Size naive_resp(std::string_view text, int deep = 0) {
  const std::size_t end = text.find("\r\n");
  if (end == text.npos || deep > 50) return {};
  const std::string_view line = text.substr(0, end);
  if (line.empty() || line.find_first_of("\r\n") != line.npos) return {};
  const char type = line.front();
  const bool bulk = std::string_view("$!=").find(type) != std::string_view::npos;
  const bool many = std::string_view("*~%|").find(type) != std::string_view::npos;
  if (!bulk && !many)
    return std::string_view("+-:_#,(").find(type) != std::string_view::npos ? Size(end + 2)
                                                                            : Size();
  std::string_view count = line.substr(1);
  const bool null = count.starts_with('-');
  if (null) count.remove_prefix(1);
  const auto number = digits(count);
  if (!number) return {};
  if (null) return *number == 1 ? Size(end + 2) : Size();
  if (bulk) {
    const Size size = within(text, static_cast<std::int64_t>(end) + 2 + *number + 2);
    return size && text.substr(*size - 2, 2) == "\r\n" ? size : Size();
  }
  std::size_t at = end + 2;
  const std::int64_t pairs = type == '%' || type == '|' ? 2 : 1;
  for (std::int64_t i = 0; i < *number * pairs + (type == '|' ? 1 : 0); ++i) {
    const Size one = naive_resp(text.substr(at), deep + 1);
    if (!one) return {};
    at += *one;
  }
  return at;
}

bool nested_deep(std::string_view text) {
  std::size_t types = 0;
  for (const char c : text) types += std::string_view("*~%|").find(c) != std::string_view::npos;
  return types > 40;
}

// The number of a line that ends the size of a chunk, or none.
std::optional<std::int64_t> hex(std::string_view text) {
  std::int64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])); ++at) {
    if (value >> 40 != 0) return {};
    value = value * 16 + (text[at] <= '9' ? text[at] - '0' : (text[at] | 32) - 'a' + 10);
  }
  if (at == 0) return {};
  if (at == text.size() || std::string_view("; \t").find(text[at]) != std::string_view::npos)
    return value;
  return {};
}

// Of a line up to and with its \n; none where there is none.
std::optional<std::string_view> line_of(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return {};
  return text.substr(0, end + 1);
}

Size naive_chunks(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    const auto line = line_of(text.substr(at));
    if (!line || !line->ends_with("\r\n") || line->find('\r') + 2 != line->size()) return {};
    const auto size = hex(line->substr(0, line->size() - 2));
    if (!size) return {};
    at += line->size();
    if (*size == 0) break;
    if (static_cast<std::uint64_t>(*size) + 2 > text.size() - at) return {};
    at += static_cast<std::size_t>(*size) + 2;
    if (text.substr(at - 2, 2) != "\r\n") return {};
  }
  while (true) {
    const auto line = line_of(text.substr(at));
    if (!line) return {};
    at += line->size();
    if (*line == "\n" || *line == "\r\n") return at;
    if (line->find('\r') != line->npos && line->find('\r') + 2 != line->size()) return {};
  }
}

// Only for heads of "HTTP/1.1 NNN" and the three fields that say where a body ends: others it does
// not know, and are not asked of it.
Size naive_http(std::string_view text) {
  std::size_t at = 0;
  int status = 0;
  std::optional<std::int64_t> length;
  bool chunked = false, coded = false;
  for (bool first = true;; first = false) {
    const auto line = line_of(text.substr(at));
    if (!line) return {};
    at += line->size();
    std::string_view field = line->substr(0, line->size() - 1);
    if (field.ends_with('\r')) field.remove_suffix(1);
    if (first) {
      status = std::atoi(std::string(field.substr(std::min<std::size_t>(9, field.size()))).c_str());
    } else if (field.empty()) {
      break;
    } else if (field.starts_with("Content-Length: ")) {
      length = digits(field.substr(16, field.find_first_of(", \t", 16) - 16));
    } else if (field.starts_with("Transfer-Encoding: ")) {
      coded = true;
      chunked = field == "Transfer-Encoding: chunked";
    }
  }
  if (status < 200) {
    const Size next = naive_http(text.substr(at));
    return next ? Size(at + *next) : Size();
  }
  if (status == 204 || status == 304) return at;
  if (coded) {
    const Size body = chunked ? naive_chunks(text.substr(at)) : Size();
    return body ? Size(at + *body) : Size();
  }
  return length ? within(text, static_cast<std::int64_t>(at) + *length) : Size();
}

// A response of what the bytes choose, and then the bytes themselves as its body.
std::string response_of(std::string_view bytes) {
  constexpr const char* kLines[] = {"Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
                                    "Server: x\r\n",         "Content-Length: 0\n",
                                    "Connection: close\r\n", "HTTP/1.1 100 Go\r\n\r\n",
                                    "HTTP/1.1 204 No\r\n",   "HTTP/1.1 304 Same\r\n"};
  std::string text = bytes.empty() || bytes.front() % 4 != 0 ? "HTTP/1.1 200 OK\r\n" : "";
  for (std::size_t i = 0; i < bytes.size() && i < 4; ++i) text += kLines[bytes[i] & 7];
  text += "\r\n";
  if (bytes.size() > 4) text += bytes.substr(4);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const unsigned which = data[0] % 9;
  const std::size_t step = 1 + data[1] % 16;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const PrefixForm form{1u << (data[1] >> 4 & 3), (data[1] >> 6 & 1) != 0, data[1] % 3u,
                        data[1] % 9 - 4};
  const auto until = [](std::string_view end) {
    return [end](std::string_view rest) { return naive_until(rest, end); };
  };
  switch (which) {
    case 0:
      compare(UntilFramer("\r\n\r\n"), until("\r\n\r\n"), text, step);
      break;
    case 1:
      compare(UntilFramer("aabaa"), until("aabaa"), text, step);
      break;
    case 2:
      compare(
          PrefixFramer(form), [&](std::string_view rest) { return naive_prefix(rest, form); }, text,
          step);
      break;
    case 3:
      compare(VarintFramer(0), naive_varint, text, step);
      break;
    case 4:
      if (!nested_deep(text))
        compare(RespFramer(), [](std::string_view rest) { return naive_resp(rest); }, text, step);
      break;
    case 5: {
      // Fields that are wrong by rules of their own are not in the reader above.
      const std::string response = response_of(text);
      const Outcome whole = read(HttpFramer(), response, response.size());
      if (!(whole == read(HttpFramer(), response, step))) std::abort();
      if (!whole.sizes.empty() && naive_http(response) != Size(whole.sizes.front())) std::abort();
      break;
    }
    case 6:
      if (!(read(MemcachedFramer(), text, text.size()) == read(MemcachedFramer(), text, step)))
        std::abort();
      break;
    case 7:
      is_dns_question(as_bytes(text));
      if (!(read(DnsFramer(), text, text.size()) == read(DnsFramer(), text, step))) std::abort();
      break;
    default:
      if (!(read(HttpFramer(), text, text.size()) == read(HttpFramer(), text, step))) std::abort();
      break;
  }
  return 0;
}
