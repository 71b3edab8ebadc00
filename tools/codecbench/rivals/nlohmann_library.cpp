// Trees built, printed, parsed and dropped by nlohmann::json.
#include "codecbench/rivals/nlohmann_library.h"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "codecbench/rivals/read_as.h"
#include "wire/json/pairs.h"
#include "wire/json/writer.h"
#include "wire/utf8.h"

namespace wiremark::tools {

using namespace wire;

namespace {

using enum DecodeErrorKind;
using nlohmann::json;

std::size_t dump(const json& tree, MutableBytes to) {
  const std::string text = tree.dump();
  if (text.size() > to.size()) return 0;
  text.copy(reinterpret_cast<char*>(to.data()), text.size());
  return text.size();
}

DecodeErrorKind load(Bytes from, json& tree) {
  const std::string_view text = as_text(from);
  tree = json::parse(text.begin(), text.end(), nullptr, false);
  if (tree.is_discarded()) return syntax;
  return tree.is_object() ? none : wrong_type;
}

template <class T>
DecodeErrorKind read_integer(const json& value, T& into) {
  if (!value.is_number_integer()) return wrong_type;
  const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                               : std::in_range<T>(value.get<std::int64_t>());
  if (!fits) return number_out_of_range;
  into = value.get<T>();
  return none;
}

DecodeErrorKind read_value(const json& value, ValueType type, Value& into) {
  return read_as(type, into, [&value]<class T>(T& held) {
    if constexpr (std::is_integral_v<T>) {
      return read_integer(value, held);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!value.is_number()) return wrong_type;
      held = value.get<T>();
    } else {
      if (!value.is_string()) return wrong_type;
      held = value.get_ref<const std::string&>();
    }
    return none;
  });
}

}  // namespace

std::size_t NlohmannCodec::max_size(const Message& message) const noexcept {
  return json_max_size(message);
}

std::size_t NlohmannCodec::encode(const Message& message, MutableBytes to) const {
  if (!is_utf8(as_bytes(message.content))) return 0;
  return dump({{"head", message.head}, {"guid", message.guid}, {"content", message.content}}, to);
}

DecodeError NlohmannCodec::decode(Bytes from, Message& into) {
  DecodeErrorKind kind = load(from, tree_);
  if (kind != none) return {.kind = kind, .offset = 0};
  const auto head = tree_.find("head");
  const auto guid = tree_.find("guid");
  const auto content = tree_.find("content");
  if (head == tree_.end() || guid == tree_.end() || content == tree_.end()) {
    return {.kind = missing_field, .offset = 0};
  }
  kind = read_integer(*head, into.head);
  if (kind == none) kind = read_integer(*guid, into.guid);
  if (kind == none && !content->is_string()) kind = wrong_type;
  if (kind != none) return {.kind = kind, .offset = 0};
  into.content = content->get_ref<const std::string&>();
  return {};
}

std::size_t NlohmannPairs::max_size(std::span<const Value> values) const {
  return json_max_size(values);
}

std::size_t NlohmannPairs::encode(std::span<const Value> values, MutableBytes to) const {
  if (values.size() > kMaxPairs) return 0;
  json tree = json::object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* text = std::get_if<std::string_view>(&values[i]);
    if (text != nullptr && !is_utf8(as_bytes(*text))) return 0;
    const std::string name(PairName(static_cast<unsigned>(i) + 1).text());
    std::visit([&](const auto& held) { tree[name] = held; }, values[i]);
  }
  return dump(tree, to);
}

DecodeError NlohmannPairs::take(Bytes packet, unsigned key, ValueType type, Value& into) {
  DecodeErrorKind kind = load(packet, tree_);
  if (kind != none) return {.kind = kind, .offset = 0};
  const auto found = tree_.find(std::string(PairName(key).text()));
  kind = found == tree_.end() ? missing_field : read_value(*found, type, into);
  return {.kind = kind, .offset = 0};
}

DecodeError NlohmannPairs::take_checked(Bytes packet, unsigned key, ValueType type, Value& into) {
  return take(packet, key, type, into);
}

}  // namespace wiremark::tools
