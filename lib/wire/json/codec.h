// JSON: {"head":567,"guid":15,"content":"..."}, as RFC 8259 has it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/json/simdjson_reader.h"
#include "wire/message.h"

namespace wiremark::wire {

/// Reads what it writes itself in one pass, and copies a content only if it has escapes. Anything
/// else (another order, white space, unknown fields) goes to simdjson, and what simdjson refuses
/// goes to JsonWalker, which names the error. All memory is reserved when the codec is made.
///
/// The content borrows the input, or a buffer of the codec if it was not written as it is. A
/// content that is not UTF-8 cannot be encoded: encode returns 0. Head and guid are numbers without
/// fraction and exponent; 1.0 and 1e2 are wrong_type.
class JsonCodec {
 public:
  static constexpr std::string_view kName = "json";

  explicit JsonCodec(Limits limits = {});

  std::size_t max_size(const Message& message) const noexcept;
  std::size_t encode(const Message& message, MutableBytes to) const noexcept;
  DecodeError decode(Bytes from, Message& into) noexcept;

 private:
  Limits limits_;
  std::unique_ptr<SimdjsonReader> reader_;
  std::unique_ptr<char[]> unescaped_;
};

static_assert(Codec<JsonCodec>);

/// Reads only what has the form that JsonCodec::encode writes, without escapes. False for anything
/// else, which may well be JSON.
bool read_plain_json(Bytes from, Message& into) noexcept;

/// The first error of `text` as a message {"head": int32, "guid": int32, "content": text}, fields
/// in any order, unknown ones allowed. A truncated text fails at its end, a missing field at the
/// brace that closes the object, everything else at the byte or token that is wrong.
DecodeError explain_json_message(Bytes text, unsigned depth) noexcept;

}  // namespace wiremark::wire
