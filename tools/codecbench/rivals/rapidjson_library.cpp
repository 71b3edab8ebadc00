// Trees read, and text written, by RapidJSON in memory that is kept.
#include "codecbench/rivals/rapidjson_library.h"

#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "codecbench/rivals/read_as.h"
#include "wire/json/pairs.h"
#include "wire/json/writer.h"

namespace wiremark::tools {

using namespace wire;

namespace {

using enum DecodeErrorKind;

using Utf8 = rapidjson::UTF8<>;
using Pool = rapidjson::MemoryPoolAllocator<>;
using Tree = rapidjson::GenericDocument<Utf8, Pool, Pool>;
using Node = Tree::ValueType;
using Writer = rapidjson::Writer<rapidjson::StringBuffer, Utf8, Utf8, rapidjson::CrtAllocator,
                                 rapidjson::kWriteValidateEncodingFlag>;

/// What is larger gets memory of its own.
constexpr std::size_t kKept = 64 * 1024;
constexpr unsigned kReading =
    rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;

DecodeErrorKind explain(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return trailing_data;
    case rapidjson::kParseErrorNumberTooBig:
      return number_out_of_range;
    case rapidjson::kParseErrorStringInvalidEncoding:
      return invalid_utf8;
    case rapidjson::kParseErrorStringEscapeInvalid:
      return invalid_escape;
    default:
      return syntax;
  }
}

Node name_of(std::string_view name) {
  return Node(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
}

}  // namespace

struct RapidjsonMemory::State {
  State()
      : nodes_room(std::make_unique_for_overwrite<char[]>(kKept)),
        stack_room(std::make_unique_for_overwrite<char[]>(kKept)),
        nodes(nodes_room.get(), kKept),
        stack(stack_room.get(), kKept),
        tree(&nodes, kKept / 2, &stack) {}

  /// The object that `from` holds, in `tree`. It takes the place of the one before.
  DecodeError read(Bytes from) {
    tree.SetNull();
    nodes.Clear();
    stack.Clear();
    rapidjson::MemoryStream stream(as_text(from).data(), from.size());
    tree.ParseStream<kReading, Utf8>(stream);
    if (tree.HasParseError()) {
      const std::size_t offset = tree.GetErrorOffset();
      const bool is_cut = offset >= from.size();
      return {.kind = is_cut ? truncated : explain(tree.GetParseError()), .offset = offset};
    }
    // To it a NUL is the end.
    if (stream.Tell() < from.size()) return {.kind = trailing_data, .offset = stream.Tell()};
    return tree.IsObject() ? DecodeError{} : DecodeError{.kind = wrong_type, .offset = 0};
  }

  /// The one value under `name`, or none where there is none or, if `alone`, another one.
  DecodeErrorKind find(std::string_view name, bool alone, const Node*& value) const {
    const Node wanted = name_of(name);
    value = nullptr;
    for (auto member = tree.MemberBegin(); member != tree.MemberEnd(); ++member) {
      if (member->name != wanted) continue;
      if (value != nullptr) return duplicate_field;
      value = &member->value;
      if (!alone) break;
    }
    return value != nullptr ? none : missing_field;
  }

  /// The text that `fill` has the writer make; 0 if it cannot be made or `to` is too short.
  template <class Fill>
  std::size_t write(MutableBytes to, Fill fill) {
    text.Clear();
    writer.Reset(text);
    if (!writer.StartObject() || !fill(writer) || !writer.EndObject()) return 0;
    if (text.GetSize() > to.size()) return 0;
    std::memcpy(to.data(), text.GetString(), text.GetSize());
    return text.GetSize();
  }

  std::unique_ptr<char[]> nodes_room;
  std::unique_ptr<char[]> stack_room;
  Pool nodes;
  Pool stack;
  Tree tree;
  rapidjson::StringBuffer text;
  Writer writer;
};

RapidjsonMemory::RapidjsonMemory() : state_(std::make_unique<State>()) {}
RapidjsonMemory::RapidjsonMemory(RapidjsonMemory&&) noexcept = default;
RapidjsonMemory::~RapidjsonMemory() = default;

namespace {

bool put_text(Writer& writer, std::string_view text) {
  return writer.String(text.empty() ? "" : text.data(),
                       static_cast<rapidjson::SizeType>(text.size()));
}

bool put_value(Writer& writer, const Value& value) {
  return std::visit(
      [&writer](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          return put_text(writer, held);
        } else if constexpr (std::is_floating_point_v<Held>) {
          return writer.Double(static_cast<double>(held));
        } else if constexpr (std::is_signed_v<Held>) {
          return writer.Int64(held);
        } else {
          return writer.Uint64(held);
        }
      },
      value);
}

template <class T>
DecodeErrorKind read_node(const Node& node, T& into) {
  if constexpr (std::is_integral_v<T>) {
    if (!node.IsInt64() && !node.IsUint64()) return wrong_type;
    const bool fits =
        node.IsInt64() ? std::in_range<T>(node.GetInt64()) : std::in_range<T>(node.GetUint64());
    if (!fits) return number_out_of_range;
    into = static_cast<T>(node.IsInt64() ? static_cast<std::uint64_t>(node.GetInt64())
                                         : node.GetUint64());
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!node.IsNumber()) return wrong_type;
    into = static_cast<T>(node.GetDouble());
  } else {
    if (!node.IsString()) return wrong_type;
    into = {node.GetString(), node.GetStringLength()};
  }
  return none;
}

template <class T>
DecodeErrorKind read_member(const RapidjsonMemory::State& state, std::string_view name, T& into) {
  const Node* node = nullptr;
  const DecodeErrorKind kind = state.find(name, true, node);
  return kind == none ? read_node(*node, into) : kind;
}

DecodeError take_value(RapidjsonMemory::State& state, Bytes packet, unsigned key, ValueType type,
                       bool alone, Value& into) {
  if (const DecodeError error = state.read(packet)) return error;
  const PairName name(key);
  const Node* node = nullptr;
  DecodeErrorKind kind = state.find(name.text(), alone, node);
  if (kind == none) {
    kind = read_as(type, into, [node]<class T>(T& held) { return read_node(*node, held); });
  }
  return {.kind = kind, .offset = 0};
}

}  // namespace

std::size_t RapidjsonCodec::max_size(const Message& message) const noexcept {
  return json_max_size(message);
}

std::size_t RapidjsonCodec::encode(const Message& message, MutableBytes to) const noexcept {
  return memory_.state().write(to, [&message](Writer& writer) {
    return writer.Key("head", 4) && writer.Int(message.head) && writer.Key("guid", 4) &&
           writer.Int(message.guid) && writer.Key("content", 7) &&
           put_text(writer, message.content);
  });
}

DecodeError RapidjsonCodec::decode(Bytes from, Message& into) noexcept {
  RapidjsonMemory::State& state = memory_.state();
  if (const DecodeError error = state.read(from)) return error;
  DecodeErrorKind kind = read_member(state, "head", into.head);
  if (kind == none) kind = read_member(state, "guid", into.guid);
  if (kind == none) kind = read_member(state, "content", into.content);
  return {.kind = kind, .offset = 0};
}

std::size_t RapidjsonPairs::max_size(std::span<const Value> values) const noexcept {
  return json_max_size(values);
}

std::size_t RapidjsonPairs::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs) return 0;
  return memory_.state().write(to, [values](Writer& writer) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const PairName name(static_cast<unsigned>(i) + 1);
      const auto size = static_cast<rapidjson::SizeType>(name.text().size());
      if (!writer.Key(name.c_str(), size) || !put_value(writer, values[i])) return false;
    }
    return true;
  });
}

DecodeError RapidjsonPairs::take(Bytes packet, unsigned key, ValueType type, Value& into) noexcept {
  return take_value(memory_.state(), packet, key, type, false, into);
}

DecodeError RapidjsonPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                         Value& into) noexcept {
  return take_value(memory_.state(), packet, key, type, true, into);
}

}  // namespace wiremark::tools
