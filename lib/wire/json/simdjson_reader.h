// simdjson's On-Demand parser, made strict: reads what the fast path does not, and is measured by
// codecbench for comparison.
#pragma once

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"
#include "wire/value.h"

namespace wiremark::wire {

/// Reads by simdjson, for one thread. It says whether a text is valid, not what is wrong with it:
/// JsonWalker does that. Texts live in the reader until its next call.
class SimdjsonReader {
 public:
  virtual ~SimdjsonReader() = default;

  /// The instructions that it was compiled for: "icelake", "haswell" or "baseline".
  virtual std::string_view kernel() const noexcept = 0;
  /// Reads a whole message and checks every byte. False also for a text longer than the limit.
  virtual bool decode(Bytes from, Message& into) noexcept = 0;
  /// Reads the value under `key` of an object; nothing behind it is checked.
  virtual bool take(Bytes packet, std::string_view key, ValueType type, Value& into) noexcept = 0;
  /// The same with every byte checked.
  virtual bool take_checked(Bytes packet, std::string_view key, ValueType type,
                            Value& into) noexcept = 0;
};

/// The reader for the best instructions that this processor has. All memory it will ever use, about
/// eight times the frame limit, is reserved here; throws std::bad_alloc.
std::unique_ptr<SimdjsonReader> make_simdjson_reader(Limits limits);

/// The reader compiled for `kernel`, or none where this processor cannot run it.
std::unique_ptr<SimdjsonReader> make_simdjson_reader(std::string_view kernel, Limits limits);

}  // namespace wiremark::wire
