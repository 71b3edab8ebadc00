// The calls that a user of FlatBuffers makes.
#include "codecbench/rivals/flatbuffers_library.h"

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <type_traits>

#include "envelope_generated.h"
#include "message_generated.h"
#include "pairs_generated.h"

namespace wiremark::tools {

using namespace wire;

namespace {

using ::flatbuffers::FlatBufferBuilder;

constexpr DecodeError kUnverified{DecodeErrorKind::bad_offset, 0};

const std::uint8_t* data_of(Bytes bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

Bytes finished(const FlatBufferBuilder& builder) {
  return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

std::size_t copy_out(const FlatBufferBuilder& builder, MutableBytes to) {
  const Bytes from = finished(builder);
  if (from.size() > to.size()) return 0;
  std::memcpy(to.data(), from.data(), from.size());
  return from.size();
}

template <class Table>
const Table* verified(Bytes from) {
  ::flatbuffers::Verifier verifier(data_of(from), from.size());
  if (!verifier.VerifyBuffer<Table>(nullptr)) return nullptr;
  return ::flatbuffers::GetRoot<Table>(data_of(from));
}

Bytes bytes_of(const ::flatbuffers::Vector<std::uint8_t>& vector) {
  return std::as_bytes(std::span(vector.data(), vector.size()));
}

std::uint16_t vtable_place(std::size_t id) { return static_cast<std::uint16_t>(4 + 2 * id); }

}  // namespace

struct FlatbuffersLibrary::State {
  FlatBufferBuilder builder;
};

FlatbuffersLibrary::FlatbuffersLibrary(const Limits&) : state_(std::make_unique<State>()) {}
FlatbuffersLibrary::FlatbuffersLibrary(FlatbuffersLibrary&&) noexcept = default;
FlatbuffersLibrary::~FlatbuffersLibrary() = default;

std::size_t FlatbuffersLibrary::encode(const Message& message, MutableBytes to) {
  if (to.size() < max_size(message)) return 0;
  FlatBufferBuilder& builder = state_->builder;
  builder.Clear();
  const auto content = builder.CreateString(message.content.data(), message.content.size());
  builder.Finish(fbs::CreatePacket(builder, message.head, message.guid, content));
  return copy_out(builder, to);
}

DecodeError FlatbuffersLibrary::decode(Bytes from, Message& message) {
  const auto* packet = verified<fbs::Packet>(from);
  if (packet == nullptr) return kUnverified;
  message.head = packet->head();
  message.guid = packet->guid();
  message.content = {packet->content()->c_str(), packet->content()->size()};
  return {};
}

struct FlatbuffersLibraryPairs::State {
  FlatBufferBuilder builder;
};

FlatbuffersLibraryPairs::FlatbuffersLibraryPairs(const Limits&)
    : state_(std::make_unique<State>()) {
  // E6 has no zeros, but the user's values may, and then the key must still be there.
  state_->builder.ForceDefaults(true);
}
FlatbuffersLibraryPairs::FlatbuffersLibraryPairs(FlatbuffersLibraryPairs&&) noexcept = default;
FlatbuffersLibraryPairs::~FlatbuffersLibraryPairs() = default;

std::size_t FlatbuffersLibraryPairs::max_size(std::span<const Value> values) const noexcept {
  std::size_t size = 64 + 2 * kMaxPairs;
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    size += 16 + (text ? text->size() : 0);
  }
  return size;
}

std::size_t FlatbuffersLibraryPairs::encode(std::span<const Value> values, MutableBytes to) {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  FlatBufferBuilder& builder = state_->builder;
  builder.Clear();
  std::array<::flatbuffers::Offset<::flatbuffers::String>, kMaxPairs> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* text = std::get_if<std::string_view>(&values[i]);
    if (text) texts[i] = builder.CreateString(text->data(), text->size());
  }
  const auto start = builder.StartTable();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<ValueType>(values[i].index()) != pair_type(static_cast<unsigned>(i) + 1)) {
      builder.Clear();
      return 0;
    }
    std::visit(
        [&]<class T>(const T& held) {
          if constexpr (std::is_same_v<T, std::string_view>) {
            builder.AddOffset(vtable_place(i), texts[i]);
          } else {
            builder.AddElement<T>(vtable_place(i), held, T{});
          }
        },
        values[i]);
  }
  builder.Finish(::flatbuffers::Offset<fbs::Pairs>(builder.EndTable(start)));
  return copy_out(builder, to);
}

DecodeError FlatbuffersLibraryPairs::take(Bytes packet, unsigned key, ValueType type,
                                          Value& value) {
  const auto* pairs = verified<fbs::Pairs>(packet);
  if (pairs == nullptr) return kUnverified;
  // What an accessor such as k32() does, for a key that is known at run time.
  const auto* table = reinterpret_cast<const ::flatbuffers::Table*>(pairs);
  if (key == 0 || key > kMaxPairs || !table->CheckField(vtable_place(key - 1))) {
    return {DecodeErrorKind::missing_field, 0};
  }
  if (type != pair_type(key)) return {DecodeErrorKind::wrong_type, 0};
  const auto number = [&]<class T>(T) { value = table->GetField<T>(vtable_place(key - 1), T{}); };
  switch (type) {
    case ValueType::text: {
      const auto* text = table->GetPointer<const ::flatbuffers::String*>(vtable_place(key - 1));
      value = std::string_view(text->c_str(), text->size());
      break;
    }
    case ValueType::int32:
      number(std::int32_t{});
      break;
    case ValueType::uint32:
      number(std::uint32_t{});
      break;
    case ValueType::int64:
      number(std::int64_t{});
      break;
    case ValueType::uint64:
      number(std::uint64_t{});
      break;
    case ValueType::float32:
      number(float{});
      break;
    case ValueType::float64:
      number(double{});
      break;
  }
  return {};
}

struct FlatbuffersLibraryEnvelope::State {
  FlatBufferBuilder builder;
  FlatBufferBuilder inner;
};

FlatbuffersLibraryEnvelope::FlatbuffersLibraryEnvelope(const Limits&)
    : state_(std::make_unique<State>()) {}
FlatbuffersLibraryEnvelope::FlatbuffersLibraryEnvelope(FlatbuffersLibraryEnvelope&&) noexcept =
    default;
FlatbuffersLibraryEnvelope::~FlatbuffersLibraryEnvelope() = default;

std::size_t FlatbuffersLibraryEnvelope::encode_nest(const Envelope& envelope, MutableBytes to) {
  FlatBufferBuilder& inner = state_->inner;
  inner.Clear();
  inner.Finish(
      fbs::CreateMember(inner, inner.CreateVector(data_of(envelope.body), envelope.body.size())));
  FlatBufferBuilder& builder = state_->builder;
  builder.Clear();
  builder.ForceVectorAlignment(inner.GetSize(), 1, alignof(::flatbuffers::uoffset_t));
  const auto payload = builder.CreateVector(inner.GetBufferPointer(), inner.GetSize());
  builder.Finish(fbs::CreateNest(builder, envelope.type, payload));
  return to.size() < max_size(envelope) ? 0 : copy_out(builder, to);
}

std::size_t FlatbuffersLibraryEnvelope::encode_union(const Envelope& envelope, MutableBytes to) {
  if (envelope.type < 1 || envelope.type > kMaxEnvelopeType) return 0;
  FlatBufferBuilder& builder = state_->builder;
  builder.Clear();
  const auto member = fbs::CreateMember(
      builder, builder.CreateVector(data_of(envelope.body), envelope.body.size()));
  fbs::UnionBuilder one_of(builder);
  builder.AddOffset(vtable_place(static_cast<std::size_t>(envelope.type)), member);
  one_of.add_type(envelope.type);
  builder.Finish(one_of.Finish());
  return to.size() < max_size(envelope) ? 0 : copy_out(builder, to);
}

DecodeError FlatbuffersLibraryEnvelope::decode_nest(Bytes from, Envelope& envelope) {
  Bytes inner;
  if (const DecodeError error = route(from, envelope.type, inner)) return error;
  const auto* member = verified<fbs::Member>(inner);
  if (member == nullptr) return kUnverified;
  envelope.body = bytes_of(*member->body());
  return {};
}

DecodeError FlatbuffersLibraryEnvelope::decode_union(Bytes from, Envelope& envelope) {
  const auto* one_of = verified<fbs::Union>(from);
  if (one_of == nullptr) return kUnverified;
  envelope.type = one_of->type();
  if (envelope.type < 1 || envelope.type > kMaxEnvelopeType) {
    return {DecodeErrorKind::number_out_of_range, 0};
  }
  // What an accessor such as m7() does, for a type that is known at run time.
  const auto* table = reinterpret_cast<const ::flatbuffers::Table*>(one_of);
  const auto* member =
      table->GetPointer<const fbs::Member*>(vtable_place(static_cast<std::size_t>(envelope.type)));
  if (member == nullptr) return {DecodeErrorKind::missing_field, 0};
  envelope.body = bytes_of(*member->body());
  return {};
}

DecodeError FlatbuffersLibraryEnvelope::route(Bytes from, std::int32_t& type, Bytes& inner) {
  const auto* nest = verified<fbs::Nest>(from);
  if (nest == nullptr) return kUnverified;
  type = nest->type();
  inner = bytes_of(*nest->payload());
  return {};
}

}  // namespace wiremark::tools
