// HTTP/1.1: the request that options and a URL make, and how error replies are counted.
#pragma once

#include <fmt/format.h>

#include "load/exchange/request.h"
#include "load/exchange/scheme.h"
#include "wire/framing/http.h"

namespace wiremark::load {

struct Http {
  using Framer = wire::HttpFramer;
  static constexpr Scheme kScheme{.name = "http", .reply = "http", .port = 80};

  static std::string error(const wire::Step& step, std::string_view) {
    return fmt::format("HTTP {}", step.status);
  }

  Framer framer = {};
};

/// One request, with what --method, --header and --body say, of the path of the target.
Result<Request> http_request(const CustomOptions& options);

}  // namespace wiremark::load
