// HTTP/1.1: the request that options and a URL make, and how error replies are counted.
#include "load/exchange/http.h"

#include <algorithm>

#include "base/letters.h"
#include "base/list.h"
#include "base/number.h"

namespace wiremark::load {

namespace {

bool names(std::string_view header, std::string_view lower) noexcept {
  return header.size() > lower.size() && header[lower.size()] == ':' &&
         same_letters(header.substr(0, lower.size()), lower);
}

}  // namespace

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
  Request request;
  std::string head =
      options.method.empty() ? (options.body ? "POST " : "GET ") : options.method + " ";
  head += (options.path.empty() ? "/" : options.path) + " HTTP/1.1\\r\\n";
  if (!given("host"))
    head += "Host: " + (options.authority.empty() ? "localhost" : options.authority) + "\\r\\n";
  for (const std::string& header : options.headers) head += header + "\\r\\n";
  if (options.body && !given("content-length") && !given("transfer-encoding"))
    head += "Content-Length: " + std::to_string(body.size()) + "\\r\\n";
  if (auto added = request.add_text(head + "\\r\\n"); !added) return std::unexpected(added.error());
  request.add(body);
  return request;
}

}  // namespace wiremark::load
