// The calls that upb's generated code makes.
#include "codecbench/rivals/upb_library.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <variant>

// What is used here of upb.h and msg.h, with the names and the layout that they have there. The
// libupb-dev of Debian 12 and 13 cannot be included: its headers want upb/upb.h and
// upb/table.int.h, which are in no package.
extern "C" {
struct upb_arena;
struct upb_alloc;
extern upb_alloc upb_alloc_global;
upb_arena* upb_arena_init(void* block, std::size_t size, upb_alloc* more);
void upb_arena_free(upb_arena* arena);

struct upb_strview {
  const char* data;
  std::size_t size;
};

struct upb_msglayout_field {
  std::uint32_t number;
  std::uint16_t offset;
  std::int16_t presence;
  std::uint16_t submsg_index;
  std::uint8_t descriptortype;
  std::uint8_t label;
};

struct upb_msglayout {
  const upb_msglayout* const* submsgs;
  const upb_msglayout_field* fields;
  std::uint16_t size;
  std::uint16_t field_count;
  bool extendable;
};

void* _upb_msg_new(const upb_msglayout* layout, upb_arena* arena);
bool upb_decode(const char* from, std::size_t size, void* message, const upb_msglayout* layout,
                upb_arena* arena);
char* upb_encode(const void* message, const upb_msglayout* layout, upb_arena* arena,
                 std::size_t* size);
}

namespace wiremark::tools {

using namespace wire;

namespace {

using enum DecodeErrorKind;

constexpr std::size_t kBlockSize =
    16 << 10;  // A message of 63 pairs, decoded or encoded, takes 2 KiB.

/// An arena in a block that is kept; what does not fit is freed with it.
class Arena {
 public:
  explicit Arena(std::byte* block) : arena_(upb_arena_init(block, kBlockSize, &upb_alloc_global)) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { upb_arena_free(arena_); }

  upb_arena* get() const noexcept { return arena_; }

 private:
  upb_arena* arena_;
};

std::size_t serialize(const void* message, const upb_msglayout& layout, const Arena& arena,
                      MutableBytes to) {
  std::size_t size = 0;
  const char* const bytes = upb_encode(message, &layout, arena.get(), &size);
  if (bytes == nullptr || size > to.size()) return 0;
  std::memcpy(to.data(), bytes, size);
  return size;
}

// google.protobuf.FieldDescriptorProto.Type and Label.
constexpr std::uint8_t kDouble = 1, kFloat = 2, kInt64 = 3, kUint64 = 4, kInt32 = 5, kString = 9,
                       kBytes = 12, kUint32 = 13;
constexpr std::uint8_t kOptional = 1, kRequired = 2;

constexpr std::uint8_t text_type(UpbText text) { return text == UpbText::utf8 ? kString : kBytes; }

// upbc would make the tables below of schemas/*.proto, but no package has it: a struct for each
// message, which begins with the bits of the fields that are there, from bit 1 on.

struct Packet {
  std::uint8_t present;
  std::int32_t head;
  std::int32_t guid;
  upb_strview content;
};
constexpr std::uint8_t kAllPresent = 0b1110;

template <UpbText kText>
constexpr std::array<upb_msglayout_field, 3> kPacketFields = {{
    {1, offsetof(Packet, head), 1, 0, kInt32, kRequired},
    {2, offsetof(Packet, guid), 2, 0, kInt32, kRequired},
    {3, offsetof(Packet, content), 3, 0, text_type(kText), kRequired},
}};

template <UpbText kText>
constexpr upb_msglayout kPacketLayout = {nullptr, kPacketFields<kText>.data(), sizeof(Packet), 3,
                                         false};

/// A field of any type has as much room as the largest.
struct alignas(upb_strview) Slot {
  std::byte bytes[sizeof(upb_strview)];
};

struct PairsMessage {
  std::uint8_t present[kMaxPairs / 8 + 1];
  Slot slots[kMaxPairs];
};

template <UpbText kText>
constexpr std::array<std::uint8_t, 7> kPairTypes = {text_type(kText), kInt32, kUint32, kInt64,
                                                    kUint64,          kFloat, kDouble};

template <UpbText kText>
constexpr auto kPairFields = [] {
  std::array<upb_msglayout_field, kMaxPairs> fields{};
  for (unsigned key = 1; key <= kMaxPairs; ++key) {
    fields[key - 1] = {
        key,
        static_cast<std::uint16_t>(offsetof(PairsMessage, slots) + (key - 1) * sizeof(Slot)),
        static_cast<std::int16_t>(key),
        0,
        kPairTypes<kText>[(key - 1) % 7],
        kOptional};
  }
  return fields;
}();

template <UpbText kText>
constexpr upb_msglayout kPairsLayout = {nullptr, kPairFields<kText>.data(), sizeof(PairsMessage),
                                        kMaxPairs, false};

template <class T>
T load(const Slot& slot) {
  T value;
  std::memcpy(&value, slot.bytes, sizeof(T));
  return value;
}

Value value_of(const Slot& slot, ValueType type) {
  switch (type) {
    case ValueType::text: {
      const auto text = load<upb_strview>(slot);
      return std::string_view(text.data, text.size);
    }
    case ValueType::int32:
      return load<std::int32_t>(slot);
    case ValueType::uint32:
      return load<std::uint32_t>(slot);
    case ValueType::int64:
      return load<std::int64_t>(slot);
    case ValueType::uint64:
      return load<std::uint64_t>(slot);
    case ValueType::float32:
      return load<float>(slot);
    case ValueType::float64:
      return load<double>(slot);
  }
  return {};
}

void store(Slot& slot, const Value& value) {
  std::visit(
      [&slot](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string_view>) {
          const upb_strview text{held.data(), held.size()};
          std::memcpy(slot.bytes, &text, sizeof(text));
        } else {
          std::memcpy(slot.bytes, &held, sizeof(held));
        }
      },
      value);
}

bool is_present(const PairsMessage& pairs, unsigned key) {
  return (pairs.present[key / 8] >> (key % 8) & 1) != 0;
}

}  // namespace

template <UpbText kText>
UpbCodec<kText>::UpbCodec(const Limits&) : block_(std::make_unique<std::byte[]>(kBlockSize)) {}

template <UpbText kText>
std::size_t UpbCodec<kText>::encode(const Message& message, MutableBytes to) const noexcept {
  if (to.size() < max_size(message)) return 0;
  const Arena arena(block_.get());
  auto* const packet = static_cast<Packet*>(_upb_msg_new(&kPacketLayout<kText>, arena.get()));
  if (packet == nullptr) return 0;
  *packet = {
      kAllPresent, message.head, message.guid, {message.content.data(), message.content.size()}};
  return serialize(packet, kPacketLayout<kText>, arena, to);
}

template <UpbText kText>
DecodeError UpbCodec<kText>::decode(Bytes from, Message& message) const noexcept {
  const Arena arena(block_.get());
  const upb_msglayout* const layout = &kPacketLayout<kText>;
  auto* const packet = static_cast<Packet*>(_upb_msg_new(layout, arena.get()));
  if (packet == nullptr ||
      !upb_decode(as_text(from).data(), from.size(), packet, layout, arena.get())) {
    return {.kind = syntax, .offset = 0};
  }
  if (packet->present != kAllPresent) return {.kind = missing_field, .offset = from.size()};
  message.head = packet->head;
  message.guid = packet->guid;
  message.content = {packet->content.data, packet->content.size};
  return {};
}

template class UpbCodec<UpbText::unchecked>;
template class UpbCodec<UpbText::utf8>;

template <UpbText kText>
UpbPairs<kText>::UpbPairs(const Limits&) : block_(std::make_unique<std::byte[]>(kBlockSize)) {}

template <UpbText kText>
std::size_t UpbPairs<kText>::max_size(std::span<const Value> values) const noexcept {
  std::size_t size = 0;
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    size += 12 + (text ? text->size() : 0);
  }
  return size;
}

template <UpbText kText>
std::size_t UpbPairs<kText>::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  const Arena arena(block_.get());
  auto* pairs = static_cast<PairsMessage*>(_upb_msg_new(&kPairsLayout<kText>, arena.get()));
  if (pairs == nullptr) return 0;
  for (unsigned key = 1; key <= values.size(); ++key) {
    const Value& value = values[key - 1];
    if (static_cast<ValueType>(value.index()) != pair_type(key)) return 0;
    pairs->present[key / 8] |= static_cast<std::uint8_t>(1U << (key % 8));
    store(pairs->slots[key - 1], value);
  }
  return serialize(pairs, kPairsLayout<kText>, arena, to);
}

template <UpbText kText>
DecodeError UpbPairs<kText>::take(Bytes packet, unsigned key, ValueType type,
                                  Value& value) const noexcept {
  const Arena arena(block_.get());
  auto* pairs = static_cast<PairsMessage*>(_upb_msg_new(&kPairsLayout<kText>, arena.get()));
  if (pairs == nullptr || !upb_decode(as_text(packet).data(), packet.size(), pairs,
                                      &kPairsLayout<kText>, arena.get())) {
    return {.kind = syntax, .offset = 0};
  }
  if (key == 0 || key > kMaxPairs || !is_present(*pairs, key)) {
    return {.kind = missing_field, .offset = packet.size()};
  }
  if (type != pair_type(key)) return {.kind = wrong_type, .offset = 0};
  value = value_of(pairs->slots[key - 1], type);
  return {};
}

template class UpbPairs<UpbText::unchecked>;
template class UpbPairs<UpbText::utf8>;

}  // namespace wiremark::tools
