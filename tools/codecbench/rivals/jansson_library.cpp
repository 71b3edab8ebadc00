// Trees built, printed, parsed and dropped by jansson.
#include "codecbench/rivals/jansson_library.h"

#include <jansson.h>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "wire/json/pairs.h"
#include "wire/json/writer.h"

namespace wiremark::tools {

using namespace wire;

namespace {

using enum DecodeErrorKind;

std::size_t dump(const JanssonValue& tree, MutableBytes to) {
  if (tree.get() == nullptr) return 0;
  const std::size_t size = json_dumpb(tree.get(), reinterpret_cast<char*>(to.data()), to.size(),
                                      JSON_COMPACT | JSON_PRESERVE_ORDER);
  return size <= to.size() ? size : 0;
}

DecodeError load(Bytes from, std::size_t flags, JanssonValue& tree) {
  json_error_t error;
  tree = JanssonValue(json_loadb(as_text(from).data(), from.size(), flags, &error));
  if (tree.get() != nullptr) {
    return json_is_object(tree.get()) ? DecodeError{}
                                      : DecodeError{.kind = wrong_type, .offset = 0};
  }
  const auto offset = static_cast<std::size_t>(error.position);
  switch (json_error_code(&error)) {
    case json_error_premature_end_of_input:
      return {.kind = truncated, .offset = offset};
    case json_error_end_of_input_expected:
      return {.kind = trailing_data, .offset = offset};
    case json_error_duplicate_key:
      return {.kind = duplicate_field, .offset = offset};
    case json_error_numeric_overflow:
      return {.kind = number_out_of_range, .offset = offset};
    case json_error_invalid_utf8:
      return {.kind = invalid_utf8, .offset = offset};
    case json_error_stack_overflow:
      return {.kind = depth_exceeded, .offset = offset};
    default:
      return {.kind = syntax, .offset = offset};
  }
}

std::string_view text_of(const json_t* value) {
  return {json_string_value(value), json_string_length(value)};
}

DecodeErrorKind read_int32(const json_t* value, std::int32_t& into) {
  if (value == nullptr) return missing_field;
  if (!json_is_integer(value)) return wrong_type;
  const json_int_t number = json_integer_value(value);
  if (!std::in_range<std::int32_t>(number)) return number_out_of_range;
  into = static_cast<std::int32_t>(number);
  return none;
}

json_t* make_value(const Value& value) {
  return std::visit(
      [](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          return json_stringn(held.data(), held.size());
        } else if constexpr (std::is_integral_v<Held>) {
          if (!std::in_range<json_int_t>(held)) return json_real(static_cast<double>(held));
          return json_integer(static_cast<json_int_t>(held));
        } else {
          return json_real(static_cast<double>(held));
        }
      },
      value);
}

/// A uint64 from a real, since jansson's integers are signed.
std::uint64_t nearest_uint64(double real) {
  constexpr double kEnd = 18446744073709551616.0;
  if (real >= kEnd) return std::numeric_limits<std::uint64_t>::max();
  return real > 0 ? static_cast<std::uint64_t>(real) : 0;
}

DecodeErrorKind read_value(const json_t* value, ValueType type, Value& into) {
  if (value == nullptr) return missing_field;
  if (type == ValueType::text) {
    if (!json_is_string(value)) return wrong_type;
    into = text_of(value);
    return none;
  }
  if (!json_is_number(value)) return wrong_type;
  const double real = json_number_value(value);
  switch (type) {
    case ValueType::int32:
      into = static_cast<std::int32_t>(real);
      break;
    case ValueType::uint32:
      into = static_cast<std::uint32_t>(real);
      break;
    case ValueType::int64:
      into = static_cast<std::int64_t>(real);
      break;
    case ValueType::uint64:
      into = nearest_uint64(real);
      break;
    case ValueType::float32:
      into = static_cast<float>(real);
      break;
    default:
      into = real;
      break;
  }
  return none;
}

}  // namespace

JanssonValue::~JanssonValue() { json_decref(value_); }

JanssonValue& JanssonValue::operator=(JanssonValue&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

json_t* JanssonValue::release() noexcept { return std::exchange(value_, nullptr); }

std::size_t JanssonCodec::max_size(const Message& message) const noexcept {
  return json_max_size(message);
}

std::size_t JanssonCodec::encode(const Message& message, MutableBytes to) const noexcept {
  const JanssonValue tree(json_object());
  json_object_set_new(tree.get(), "head", json_integer(message.head));
  json_object_set_new(tree.get(), "guid", json_integer(message.guid));
  json_t* content = json_stringn(message.content.data(), message.content.size());
  if (json_object_set_new(tree.get(), "content", content) != 0) return 0;
  return dump(tree, to);
}

DecodeError JanssonCodec::decode(Bytes from, Message& into) noexcept {
  const std::size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
  if (const DecodeError error = load(from, flags, tree_)) return error;
  DecodeErrorKind kind = read_int32(json_object_get(tree_.get(), "head"), into.head);
  if (kind == none) kind = read_int32(json_object_get(tree_.get(), "guid"), into.guid);
  if (kind != none) return {.kind = kind, .offset = 0};
  const json_t* content = json_object_get(tree_.get(), "content");
  if (content == nullptr) return {.kind = missing_field, .offset = 0};
  if (!json_is_string(content)) return {.kind = wrong_type, .offset = 0};
  into.content = text_of(content);
  return {};
}

std::size_t JanssonPairs::max_size(std::span<const Value> values) const noexcept {
  return json_max_size(values);
}

std::size_t JanssonPairs::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs) return 0;
  const JanssonValue tree(json_object());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PairName name(static_cast<unsigned>(i) + 1);
    if (json_object_set_new(tree.get(), name.c_str(), make_value(values[i])) != 0) return 0;
  }
  return dump(tree, to);
}

DecodeError JanssonPairs::take(Bytes packet, unsigned key, ValueType type, Value& into) noexcept {
  const std::size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL;
  if (const DecodeError error = load(packet, flags, tree_)) return error;
  const DecodeErrorKind kind =
      read_value(json_object_get(tree_.get(), PairName(key).c_str()), type, into);
  return {.kind = kind, .offset = 0};
}

DecodeError JanssonPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                       Value& into) noexcept {
  return take(packet, key, type, into);
}

}  // namespace wiremark::tools
