// The calls that a user of libprotobuf makes who wants it fast.
#include "codecbench/rivals/protobuf_library.h"

#include <google/protobuf/arena.h>

#include <array>
#include <optional>
#include <type_traits>

#include "envelope.pb.h"
#include "message.pb.h"
#include "pairs.pb.h"

namespace wiremark::tools {

using namespace wire;

namespace {

constexpr DecodeError kUnparsed{DecodeErrorKind::syntax, 0};

// ParseFromArray would print what is missing.
bool parse(google::protobuf::MessageLite& into, Bytes from) {
  return into.ParsePartialFromArray(from.data(), static_cast<int>(from.size())) &&
         into.IsInitialized();
}

std::size_t serialize(const google::protobuf::MessageLite& message, MutableBytes to) {
  const std::size_t size = message.ByteSizeLong();
  if (size > to.size()) return 0;
  message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(to.data()));
  return size;
}

Bytes bytes_of(const std::string& text) { return as_bytes(std::string_view(text)); }

}  // namespace

template <ProtobufObject kObject, ProtobufText kText>
struct LibprotobufCodec<kObject, kText>::State {
  proto::Packet reused;
  std::optional<proto::Packet> fresh;
  google::protobuf::Arena arena;

  proto::Packet& packet() {
    if constexpr (kObject == ProtobufObject::reused) {
      return reused;
    } else if constexpr (kObject == ProtobufObject::fresh) {
      return fresh.emplace();
    } else {
      arena.Reset();
      return *google::protobuf::Arena::CreateMessage<proto::Packet>(&arena);
    }
  }
};

template <ProtobufObject kObject, ProtobufText kText>
LibprotobufCodec<kObject, kText>::LibprotobufCodec(const Limits&)
    : state_(std::make_unique<State>()) {}
template <ProtobufObject kObject, ProtobufText kText>
LibprotobufCodec<kObject, kText>::LibprotobufCodec(LibprotobufCodec&&) noexcept = default;
template <ProtobufObject kObject, ProtobufText kText>
LibprotobufCodec<kObject, kText>::~LibprotobufCodec() = default;

template <ProtobufObject kObject, ProtobufText kText>
std::size_t LibprotobufCodec<kObject, kText>::encode(const Message& message, MutableBytes to) {
  if (to.size() < max_size(message)) return 0;
  proto::Packet& packet = state_->packet();
  packet.set_head(message.head);
  packet.set_guid(message.guid);
  if constexpr (kText == ProtobufText::assigned) {
    packet.mutable_content()->assign(message.content);
  } else {
    packet.set_content(message.content.data(), message.content.size());
  }
  return serialize(packet, to);
}

template <ProtobufObject kObject, ProtobufText kText>
DecodeError LibprotobufCodec<kObject, kText>::decode(Bytes from, Message& message) {
  proto::Packet& packet = state_->packet();
  if (!parse(packet, from)) return kUnparsed;
  message.head = packet.head();
  message.guid = packet.guid();
  message.content = packet.content();
  return {};
}

template class LibprotobufCodec<ProtobufObject::reused>;
template class LibprotobufCodec<ProtobufObject::reused, ProtobufText::set>;
template class LibprotobufCodec<ProtobufObject::fresh>;
template class LibprotobufCodec<ProtobufObject::arena>;

namespace {

struct PairAccess {
  bool (*has)(const proto::Pairs&);
  void (*get)(const proto::Pairs&, Value&);
  void (*set)(proto::Pairs&, const Value&);
};

template <class T>
Value value_of(const T& field) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string_view(field);
  } else {
    return field;
  }
}

template <class T, class Set>
void put(Set&& set, const Value& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    set(std::string(std::get<std::string_view>(value)));
  } else {
    set(std::get<T>(value));
  }
}

// The accessors have the key in their names, so a table of them needs the preprocessor.
#define WIREMARK_PAIR(key)                                                                 \
  PairAccess {                                                                             \
    [](const proto::Pairs& pairs) { return pairs.has_k##key(); },                          \
        [](const proto::Pairs& pairs, Value& value) { value = value_of(pairs.k##key()); }, \
        [](proto::Pairs& pairs, const Value& value) {                                      \
          using Field = std::remove_cvref_t<decltype(pairs.k##key())>;                     \
          put<Field>([&pairs](const Field& field) { pairs.set_k##key(field); }, value);    \
        }                                                                                  \
  }
#define WIREMARK_PAIRS(a, b, c, d, e, f, g)                                                 \
  WIREMARK_PAIR(a), WIREMARK_PAIR(b), WIREMARK_PAIR(c), WIREMARK_PAIR(d), WIREMARK_PAIR(e), \
      WIREMARK_PAIR(f), WIREMARK_PAIR(g)

constexpr std::array<PairAccess, kMaxPairs> kAccess = {
    WIREMARK_PAIRS(1, 2, 3, 4, 5, 6, 7),        WIREMARK_PAIRS(8, 9, 10, 11, 12, 13, 14),
    WIREMARK_PAIRS(15, 16, 17, 18, 19, 20, 21), WIREMARK_PAIRS(22, 23, 24, 25, 26, 27, 28),
    WIREMARK_PAIRS(29, 30, 31, 32, 33, 34, 35), WIREMARK_PAIRS(36, 37, 38, 39, 40, 41, 42),
    WIREMARK_PAIRS(43, 44, 45, 46, 47, 48, 49), WIREMARK_PAIRS(50, 51, 52, 53, 54, 55, 56),
    WIREMARK_PAIRS(57, 58, 59, 60, 61, 62, 63),
};

#undef WIREMARK_PAIRS
#undef WIREMARK_PAIR

}  // namespace

struct LibprotobufPairs::State {
  proto::Pairs pairs;
};

LibprotobufPairs::LibprotobufPairs(const Limits&) : state_(std::make_unique<State>()) {}
LibprotobufPairs::LibprotobufPairs(LibprotobufPairs&&) noexcept = default;
LibprotobufPairs::~LibprotobufPairs() = default;

std::size_t LibprotobufPairs::max_size(std::span<const Value> values) const noexcept {
  std::size_t size = 0;
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    size += 12 + (text ? text->size() : 0);
  }
  return size;
}

std::size_t LibprotobufPairs::encode(std::span<const Value> values, MutableBytes to) {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  state_->pairs.Clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<ValueType>(values[i].index()) != pair_type(static_cast<unsigned>(i) + 1)) {
      return 0;
    }
    kAccess[i].set(state_->pairs, values[i]);
  }
  return serialize(state_->pairs, to);
}

DecodeError LibprotobufPairs::take(Bytes packet, unsigned key, ValueType type, Value& value) {
  if (!parse(state_->pairs, packet)) return kUnparsed;
  if (key == 0 || key > kMaxPairs || !kAccess[key - 1].has(state_->pairs)) {
    return {DecodeErrorKind::missing_field, packet.size()};
  }
  if (type != pair_type(key)) return {DecodeErrorKind::wrong_type, 0};
  kAccess[key - 1].get(state_->pairs, value);
  return {};
}

struct LibprotobufEnvelope::State {
  proto::Nest nest;
  proto::Union one_of;
  proto::Member member;
  std::array<const google::protobuf::FieldDescriptor*, kMaxEnvelopeType> members;

  State() {
    for (int i = 0; i < kMaxEnvelopeType; ++i) {
      members[static_cast<std::size_t>(i)] = proto::Union::descriptor()->FindFieldByNumber(i + 2);
    }
  }
};

LibprotobufEnvelope::LibprotobufEnvelope(const Limits&) : state_(std::make_unique<State>()) {}
LibprotobufEnvelope::LibprotobufEnvelope(LibprotobufEnvelope&&) noexcept = default;
LibprotobufEnvelope::~LibprotobufEnvelope() = default;

std::size_t LibprotobufEnvelope::encode_nest(const Envelope& envelope, MutableBytes to) {
  state_->member.mutable_body()->assign(as_text(envelope.body));
  state_->nest.set_type(envelope.type);
  state_->member.SerializeToString(state_->nest.mutable_payload());
  return to.size() < max_size(envelope) ? 0 : serialize(state_->nest, to);
}

std::size_t LibprotobufEnvelope::encode_union(const Envelope& envelope, MutableBytes to) {
  if (envelope.type < 1 || envelope.type > kMaxEnvelopeType) return 0;
  state_->one_of.Clear();
  state_->one_of.set_type(envelope.type);
  const auto* field = state_->members[static_cast<std::size_t>(envelope.type - 1)];
  auto* member = static_cast<proto::Member*>(
      state_->one_of.GetReflection()->MutableMessage(&state_->one_of, field));
  member->mutable_body()->assign(as_text(envelope.body));
  return to.size() < max_size(envelope) ? 0 : serialize(state_->one_of, to);
}

DecodeError LibprotobufEnvelope::decode_nest(Bytes from, Envelope& envelope) {
  Bytes inner;
  if (const DecodeError error = route(from, envelope.type, inner)) return error;
  if (!parse(state_->member, inner)) return kUnparsed;
  envelope.body = bytes_of(state_->member.body());
  return {};
}

DecodeError LibprotobufEnvelope::decode_union(Bytes from, Envelope& envelope) {
  const proto::Union& one_of = state_->one_of;
  if (!parse(state_->one_of, from)) return kUnparsed;
  envelope.type = one_of.type();
  if (envelope.type < 1 || envelope.type > kMaxEnvelopeType) {
    return {DecodeErrorKind::number_out_of_range, 0};
  }
  const auto* field = state_->members[static_cast<std::size_t>(envelope.type - 1)];
  const google::protobuf::Reflection* reflection = one_of.GetReflection();
  if (!reflection->HasField(one_of, field)) return {DecodeErrorKind::missing_field, from.size()};
  const auto& member = static_cast<const proto::Member&>(reflection->GetMessage(one_of, field));
  envelope.body = bytes_of(member.body());
  return {};
}

DecodeError LibprotobufEnvelope::route(Bytes from, std::int32_t& type, Bytes& inner) {
  if (!parse(state_->nest, from)) return kUnparsed;
  type = state_->nest.type();
  inner = bytes_of(state_->nest.payload());
  return {};
}

}  // namespace wiremark::tools
