// Trees read and written by yyjson, in memory that is kept.
#include "codecbench/rivals/yyjson_library.h"

#include <yyjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "codecbench/rivals/read_as.h"
#include "wire/json/pairs.h"
#include "wire/json/writer.h"

namespace wiremark::tools {

using namespace wire;

namespace {

using enum DecodeErrorKind;

/// Names outlive the trees, which only point to them.
constexpr auto kNames = []<unsigned... I>(std::integer_sequence<unsigned, I...>) {
  return std::array{PairName(I + 1)...};
}(std::make_integer_sequence<unsigned, kMaxPairs>{});

}  // namespace

struct YyjsonMemory::State {
  State() : writing(yyjson_alc_dyn_new()) {
    if (writing == nullptr) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { yyjson_alc_dyn_free(writing); }

  /// The object that `from` holds. It takes the place of the one before.
  DecodeError read(Bytes from, yyjson_val*& root) {
    const std::size_t needed = yyjson_read_max_memory_usage(from.size(), YYJSON_READ_NOFLAG);
    if (needed > size) {
      size = std::max(needed, 2 * size);
      block = std::make_unique_for_overwrite<char[]>(size);
    }
    yyjson_alc reading;
    yyjson_alc_pool_init(&reading, block.get(), size);
    // Without YYJSON_READ_INSITU it copies the text and leaves `from` as it is.
    char* const text = const_cast<char*>(as_text(from).data());
    yyjson_read_err error;
    yyjson_doc* const tree =
        yyjson_read_opts(text, from.size(), YYJSON_READ_NOFLAG, &reading, &error);
    if (tree == nullptr) return explain(error);
    root = yyjson_doc_get_root(tree);
    return yyjson_is_obj(root) ? DecodeError{} : DecodeError{.kind = wrong_type, .offset = 0};
  }

  static DecodeError explain(const yyjson_read_err& error) {
    switch (error.code) {
      case YYJSON_READ_ERROR_INVALID_PARAMETER:  // Nothing at all.
      case YYJSON_READ_ERROR_EMPTY_CONTENT:
      case YYJSON_READ_ERROR_UNEXPECTED_END:
        return {.kind = truncated, .offset = error.pos};
      case YYJSON_READ_ERROR_UNEXPECTED_CONTENT:
        return {.kind = trailing_data, .offset = error.pos};
      case YYJSON_READ_ERROR_INVALID_NUMBER:
        return {.kind = number_format, .offset = error.pos};
      default:
        return {.kind = syntax, .offset = error.pos};
    }
  }

  /// The text of the object that `fill` makes; 0 if it cannot be made or `to` is too short.
  template <class Fill>
  std::size_t write(MutableBytes to, Fill fill) {
    yyjson_mut_doc* const tree = yyjson_mut_doc_new(writing);
    if (tree == nullptr) return 0;
    yyjson_mut_val* const root = yyjson_mut_obj(tree);
    yyjson_mut_doc_set_root(tree, root);
    std::size_t length = 0;
    char* text = nullptr;
    if (fill(tree, root)) {
      text = yyjson_mut_write_opts(tree, YYJSON_WRITE_NOFLAG, writing, &length, nullptr);
    }
    if (text == nullptr || length > to.size()) length = 0;
    if (length > 0) std::memcpy(to.data(), text, length);
    if (text != nullptr) writing->free(writing->ctx, text);
    yyjson_mut_doc_free(tree);
    return length;
  }

  std::unique_ptr<char[]> block;
  std::size_t size = 0;
  yyjson_alc* writing;
};

YyjsonMemory::YyjsonMemory() : state_(std::make_unique<State>()) {}
YyjsonMemory::YyjsonMemory(YyjsonMemory&&) noexcept = default;
YyjsonMemory::~YyjsonMemory() = default;

namespace {

yyjson_mut_val* make_text(yyjson_mut_doc* tree, std::string_view text) {
  return yyjson_mut_strn(tree, text.empty() ? "" : text.data(), text.size());
}

yyjson_mut_val* make_value(yyjson_mut_doc* tree, const Value& value) {
  return std::visit(
      [tree](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          return make_text(tree, held);
        } else if constexpr (std::is_floating_point_v<Held>) {
          return yyjson_mut_real(tree, static_cast<double>(held));
        } else if constexpr (std::is_signed_v<Held>) {
          return yyjson_mut_sint(tree, held);
        } else {
          return yyjson_mut_uint(tree, held);
        }
      },
      value);
}

template <class T>
DecodeErrorKind read_integer(yyjson_val* value, T& into) {
  if (value == nullptr) return missing_field;
  if (!yyjson_is_int(value)) return wrong_type;
  // Numbers below 0 are its signed ones.
  const bool fits = yyjson_is_sint(value) ? std::in_range<T>(yyjson_get_sint(value))
                                          : std::in_range<T>(yyjson_get_uint(value));
  if (!fits) return number_out_of_range;
  into = static_cast<T>(yyjson_get_uint(value));  // Both share their bits.
  return none;
}

DecodeErrorKind read_text(yyjson_val* value, std::string_view& into) {
  if (value == nullptr) return missing_field;
  if (!yyjson_is_str(value)) return wrong_type;
  into = {yyjson_get_str(value), yyjson_get_len(value)};
  return none;
}

template <class T>
DecodeErrorKind read_real(yyjson_val* value, T& into) {
  if (value == nullptr) return missing_field;
  if (!yyjson_is_num(value)) return wrong_type;
  into = static_cast<T>(yyjson_get_num(value));
  return none;
}

DecodeErrorKind read_value(yyjson_val* value, ValueType type, Value& into) {
  return read_as(type, into, [value]<class T>(T& held) {
    if constexpr (std::is_integral_v<T>) {
      return read_integer(value, held);
    } else if constexpr (std::is_floating_point_v<T>) {
      return read_real(value, held);
    } else {
      return read_text(value, held);
    }
  });
}

/// Whether one of the three members occurs twice, which is possible only in a larger object.
bool has_duplicate(yyjson_val* root) {
  unsigned known = 0;
  std::size_t index = 0;
  std::size_t end = 0;
  yyjson_val* name = nullptr;
  yyjson_val* value = nullptr;
  yyjson_obj_foreach(root, index, end, name, value) {
    known += yyjson_equals_strn(name, "head", 4) || yyjson_equals_strn(name, "guid", 4) ||
             yyjson_equals_strn(name, "content", 7);
  }
  return known > 3;
}

}  // namespace

std::size_t YyjsonCodec::max_size(const Message& message) const noexcept {
  return json_max_size(message);
}

std::size_t YyjsonCodec::encode(const Message& message, MutableBytes to) const noexcept {
  return memory_.state().write(to, [&message](yyjson_mut_doc* tree, yyjson_mut_val* root) {
    yyjson_mut_val* const content = make_text(tree, message.content);
    return yyjson_mut_obj_add_int(tree, root, "head", message.head) &&
           yyjson_mut_obj_add_int(tree, root, "guid", message.guid) &&
           yyjson_mut_obj_add_val(tree, root, "content", content);
  });
}

DecodeError YyjsonCodec::decode(Bytes from, Message& into) noexcept {
  yyjson_val* root = nullptr;
  if (const DecodeError error = memory_.state().read(from, root)) return error;
  // From where the last one was found: faster where members come in this order.
  yyjson_obj_iter members = yyjson_obj_iter_with(root);
  DecodeErrorKind kind = read_integer(yyjson_obj_iter_getn(&members, "head", 4), into.head);
  if (kind == none) kind = read_integer(yyjson_obj_iter_getn(&members, "guid", 4), into.guid);
  if (kind == none) kind = read_text(yyjson_obj_iter_getn(&members, "content", 7), into.content);
  if (kind == none && yyjson_obj_size(root) > 3 && has_duplicate(root)) kind = duplicate_field;
  return {.kind = kind, .offset = 0};
}

std::size_t YyjsonPairs::max_size(std::span<const Value> values) const noexcept {
  return json_max_size(values);
}

std::size_t YyjsonPairs::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs) return 0;
  return memory_.state().write(to, [values](yyjson_mut_doc* tree, yyjson_mut_val* root) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      yyjson_mut_val* const value = make_value(tree, values[i]);
      if (!yyjson_mut_obj_add_val(tree, root, kNames[i].c_str(), value)) return false;
    }
    return true;
  });
}

DecodeError YyjsonPairs::take(Bytes packet, unsigned key, ValueType type, Value& into) noexcept {
  yyjson_val* root = nullptr;
  if (const DecodeError error = memory_.state().read(packet, root)) return error;
  const PairName name(key);
  yyjson_val* const value = yyjson_obj_getn(root, name.c_str(), name.text().size());
  return {.kind = read_value(value, type, into), .offset = 0};
}

DecodeError YyjsonPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                      Value& into) noexcept {
  yyjson_val* root = nullptr;
  if (const DecodeError error = memory_.state().read(packet, root)) return error;
  const PairName key_name(key);
  yyjson_val* found = nullptr;
  std::size_t index = 0;
  std::size_t end = 0;
  yyjson_val* name = nullptr;
  yyjson_val* value = nullptr;
  yyjson_obj_foreach(root, index, end, name, value) {
    if (!yyjson_equals_strn(name, key_name.c_str(), key_name.text().size())) continue;
    if (found != nullptr) return {.kind = duplicate_field, .offset = 0};
    found = value;
  }
  return {.kind = read_value(found, type, into), .offset = 0};
}

}  // namespace wiremark::tools
