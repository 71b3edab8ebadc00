// HTTP/1.1: the request that options and a URL make, and how error replies are counted.
#include "load/exchange/http.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "base/letters.h"
#include "base/list.h"
#include "base/number.h"

namespace wiremark::load {

namespace {

bool names(std::string_view header, std::string_view lower) noexcept {
  return header.size() > lower.size() && header[lower.size()] == ':' &&
         same_letters(header.substr(0, lower.size()), lower);
}

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
}

// A text that becomes a part of the head of a request. An %{id} is two bytes of any value there.
Result<Request> part_of_head(std::string_view text) {
  Request part;
  if (auto added = part.add_text(text); !added) return std::unexpected(added.error());
  if (part.id_at())
    return failed(
        fmt::format("'{}' has an %{{id}}, which tells datagrams apart: take %{{n}}", text), {}, 0);
  return part;
}

Result<Request> header_of(const std::string& text) {
  auto header = part_of_head(text);
  if (!header) return header;
  const std::string_view bytes = header->text();
  if (bytes.find_first_of("\r\n") != bytes.npos)
    return failed(fmt::format("'{}' is more than one line: give --header once for each", text), {},
                  0);
  const std::size_t colon = bytes.find(':');
  const bool is_value =
      std::ranges::none_of(bytes.substr(std::min(colon, bytes.size())),
                           [](unsigned char c) { return c != '\t' && std::iscntrl(c) != 0; });
  if (colon == bytes.npos || !is_token(bytes.substr(0, colon)) || !is_value)
    return failed(fmt::format("'{}' is not a header such as 'Accept: text/html'", text), {}, 0);
  return header;
}

}  // namespace

Result<> check_method(const std::string& method) {
  if (is_token(method)) return {};
  return failed(
      fmt::format("'{}' is not a method such as PUT: the path stands in the target", method), {},
      0);
}

Result<> check_header(const std::string& header) {
  if (auto read = header_of(header); !read) return std::unexpected(read.error());
  return {};
}

Result<Statuses> parse_statuses(std::string_view text) {
  Statuses statuses;
  for (const std::string_view item : split_list(text)) {
    const bool is_class = item.size() == 3 && item.ends_with("xx");
    const auto number = to_number<std::size_t>(is_class ? item.substr(0, 1) : item);
    const std::size_t first = number.value_or(0) * (is_class ? 100 : 1);
    // Below 200 they are interim: another one follows.
    if (item.size() != 3 || first < 200)
      return failed(fmt::format("'{}' is not a status such as 404, or a class such as 2xx", item),
                    {}, 0);
    for (std::size_t status = first; status < first + (is_class ? 100 : 1); ++status)
      statuses.set(status);
  }
  return statuses;
}

Result<Request> http_request(const CustomOptions& options) {
  const auto given = [&](std::string_view lower) {
    return std::ranges::any_of(options.headers,
                               [&](const std::string& header) { return names(header, lower); });
  };
  Request body;
  if (options.body) {
    if (options.body->starts_with('@')) {
      const auto bytes = text_or_file(*options.body);
      if (!bytes) return std::unexpected(bytes.error());
      body.add_bytes(*bytes);
    } else if (auto added = body.add_text(*options.body); !added) {
      return std::unexpected(added.error());
    }
  }
  // What follows a '#' is for whoever shows the page.
  const auto path = part_of_head(std::string_view(options.path).substr(0, options.path.find('#')));
  if (!path) return path;
  Request request;
  request.add_bytes(!options.method.empty() ? options.method : options.body ? "POST" : "GET");
  request.add_bytes(path->size() > 0 ? " " : " /");
  request.add_to_url(*path);
  request.add_bytes(" HTTP/1.1\r\n");
  const auto add_line = [&](std::string_view name, std::string_view value) {
    request.add_bytes(fmt::format("{}: {}\r\n", name, value));
  };
  if (!given("host")) add_line("Host", options.authority.empty() ? "localhost" : options.authority);
  for (const std::string& text : options.headers) {
    const auto header = header_of(text);
    if (!header) return header;
    request.add(*header);
    request.add_bytes("\r\n");
  }
  if (options.body && !given("content-length") && !given("transfer-encoding"))
    add_line("Content-Length", std::to_string(body.size()));
  request.add_bytes("\r\n");
  request.add(body);
  return request;
}

}  // namespace wiremark::load
