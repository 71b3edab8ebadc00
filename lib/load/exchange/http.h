// HTTP/1.1: the request that options and a URL make, and how error replies are counted.
#pragma once

#include <fmt/format.h>

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "load/exchange/request.h"
#include "load/exchange/scheme.h"
#include "wire/framing/http.h"

namespace wiremark::load {

/// The statuses that answers of HTTP may have.
using Statuses = std::bitset<kAnswerKinds>;

/// Statuses and classes of them with commas between: "404", "200,3xx". Errors: anything else.
Result<Statuses> parse_statuses(std::string_view text);

struct Http {
  using Framer = wire::HttpFramer;
  static constexpr Scheme kScheme{.name = "http", .reply = "http", .port = 80, .has_paths = true};

  static wire::Asked asked(std::string_view request) noexcept {
    return {.head = request.starts_with("HEAD ")};
  }
  /// By its method (RFC 9110, 9.2.1).
  static bool repeatable(std::string_view request) noexcept {
    return request.starts_with("GET ") || request.starts_with("HEAD ") ||
           request.starts_with("OPTIONS ");
  }
  static std::string error(const wire::Step& step, std::string_view) {
    return fmt::format("HTTP {}", step.status);
  }
  static std::uint16_t kind(const wire::Step& step) noexcept { return step.status; }
  static std::string name_of_kind(std::uint16_t kind) { return std::to_string(kind); }
  /// A status that is not among those wanted, or of 400 and over where none were named.
  bool is_error(const wire::Step& step, std::string_view) const noexcept {
    return wanted ? !(*wanted)[step.status] : step.error;
  }

  Framer framer = {};
  std::optional<Statuses> wanted = {};  ///< --expect-status
};

/// One request, with what --method, --header and --body say, of the path of the target.
Result<Request> http_request(const CustomOptions& options);

}  // namespace wiremark::load
