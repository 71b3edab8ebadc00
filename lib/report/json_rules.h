// What a value of a document may be, and how a wrong one is told: what fields share, without types.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "report/fields.h"

namespace wiremark::report {

using Json = nlohmann::ordered_json;

struct RunResult;

/// Where a value stands in a document, from the inside out.
struct At {
  const At* up = nullptr;
  std::string_view name = {};
  std::size_t index = 0;  ///< In an array, where there is no name.

  /// As a JSON pointer (RFC 6901).
  std::string text() const;
};

enum class Kind : std::uint8_t { integer, number, text, flag, object, array };

/// What is wrong with a value, for whoever reads the error; empty where nothing is.
using Wrong = std::string;

/// Whether `value` is of that kind and in the range of its field.
bool fits(const Json& value, Kind kind, const Facts& facts);
/// "/a/b is 7, and must be a string".
Wrong refused(const Json& value, Kind kind, const Facts& facts, const At& at);
Wrong refused(const Json& value, std::string_view allowed, const At& at);
Wrong missing(std::string_view must, const At& at);
Wrong unknown(const Json& value, const At& at);
/// "an integer from 0 to 10".
std::string allowed(Kind kind, const Facts& facts);

/// `facts.most` is the larger one.
Wrong wrong_part(const Json& object, const Facts& facts, const At& at);

/// The first place where `value` is not what the rest of the document makes of it.
Wrong differs(const Json& value, const Json& made, const At& at);

/// What is wrong with a result as a whole: what says more of an outcome stands without it, or
/// intervals overlap.
Wrong wrong_whole(const RunResult& result, const Json& document, const At& at);

/// `value` as an error quotes it: short, whatever it holds.
std::string quoted(const Json& value);

/// The schema of a number, text or flag.
Json schema_of(Kind kind, const Facts& facts);

/// On lines of up to 100 columns, where that is possible.
std::string pretty(const Json& value);

}  // namespace wiremark::report
