// The calls that a user of simdjson makes, compiled once for each set of instructions.
#pragma once

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"
#include "wire/value.h"

namespace wiremark::tools {

/// What is compiled once for each set of instructions. Nothing is copied before it is read: 64
/// bytes behind every text must be readable, as SIMDJSON_PADDING has it.
class SimdjsonCalls {
 public:
  virtual ~SimdjsonCalls() = default;
  virtual bool decode(Bytes from, wire::Message& into) noexcept = 0;
  virtual bool find(Bytes packet, std::string_view key, wire::ValueType type,
                    wire::Value& into) noexcept = 0;
  virtual bool parse(Bytes packet, std::string_view key, wire::ValueType type,
                     wire::Value& into) noexcept = 0;
};

/// For the best instructions of this processor.
std::unique_ptr<SimdjsonCalls> make_simdjson_calls(const wire::Limits& limits);

}  // namespace wiremark::tools
