// Documents as the tools wrote them once, and what speaks against one that was changed.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/json.h"

namespace wiremark::report {

using Json = nlohmann::ordered_json;

inline Json document_of(const std::string& name) {
  std::ifstream file(DOCUMENTS "/" + name + ".json");
  REQUIRE(file);
  return Json::parse(file);
}

inline Document parsed(const std::string& name) {
  auto document = parse_document(document_of(name).dump());
  REQUIRE_MESSAGE(document.has_value(), document.error().message());
  return std::move(*document);
}

/// Why it is refused; empty where it is read.
inline std::string reason_against(const Json& document) {
  const auto read = parse_document(document.dump());
  return read ? std::string() : read.error().message();
}

}  // namespace wiremark::report
