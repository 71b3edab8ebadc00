// The steps of the envelope workload (E4): a message of one of 100 types, nested or in a union.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/shelf.h"
#include "bench/subject.h"
#include "codecbench/cell.h"
#include "wire/envelope.h"

namespace wiremark::tools {

/// The layouts of E4, and the server that only hands messages on.
enum class EnvelopeKind : std::uint8_t { nest, union_of_all, route };

/// Bodies of printable bytes, each with a type: 1 when hot, any of the 100 when cold.
class EnvelopeSet {
 public:
  EnvelopeSet(Access access, std::size_t bytes, Random& random);

  std::size_t size() const noexcept { return envelopes_.size(); }
  const wire::Envelope& operator[](std::size_t index) const noexcept { return envelopes_[index]; }

 private:
  Shelf shelf_;
  std::vector<wire::Envelope> envelopes_;
};

template <EnvelopeKind kKind, wire::EnvelopeCodec E>
std::size_t encode_envelope(E& codec, const wire::Envelope& envelope, MutableBytes room) {
  if constexpr (kKind == EnvelopeKind::union_of_all) return codec.encode_union(envelope, room);
  return codec.encode_nest(envelope, room);
}

template <EnvelopeKind kKind, wire::EnvelopeCodec E>
wire::DecodeError decode_envelope(E& codec, Bytes packet, wire::Envelope& envelope) {
  if constexpr (kKind == EnvelopeKind::union_of_all) return codec.decode_union(packet, envelope);
  if constexpr (kKind == EnvelopeKind::route) {
    return codec.route(packet, envelope.type, envelope.body);
  }
  return codec.decode_nest(packet, envelope);
}

/// Encodes and decodes one envelope down to its body; what went wrong, or nothing. A route is
/// right if the type is and it hands on at least the bytes of the body.
template <EnvelopeKind kKind, wire::EnvelopeCodec E>
std::string check_envelope(E& codec, const wire::Envelope& sent, MutableBytes room) {
  const std::size_t size = encode_envelope<kKind>(codec, sent, room);
  if (size == 0) return fmt::format("encode of {} bytes failed", sent.body.size());
  wire::Envelope received;
  const wire::DecodeError error = decode_envelope<kKind>(codec, room.first(size), received);
  if (error) return fmt::format("decode of {} bytes: {}", sent.body.size(), describe(error));
  const bool same = kKind == EnvelopeKind::route ? received.body.size() >= sent.body.size()
                                                 : as_text(received.body) == as_text(sent.body);
  if (!same || received.type != sent.type) return "an envelope comes back changed";
  return {};
}

template <wire::EnvelopeCodec E, EnvelopeKind kKind>
class EncodeEnvelopeStep {
 public:
  EncodeEnvelopeStep(Access access, std::size_t bytes, Random& random)
      : envelopes_(access, bytes, random),
        desk_(codec_.max_size(envelopes_[0]), random),
        room_(desk_.room()) {}

  std::size_t items() const noexcept { return envelopes_.size(); }
  std::string check() { return check_envelope<kKind>(codec_, envelopes_[0], room_); }
  double wire_bytes() {
    return static_cast<double>(encode_envelope<kKind>(codec_, envelopes_[0], room_));
  }

  void operator()(std::size_t index) {
    const std::size_t size = encode_envelope<kKind>(codec_, envelopes_[index], room_);
    consume_written(room_.data(), size);
  }

 private:
  E codec_{wire::Limits{}};
  EnvelopeSet envelopes_;
  Desk desk_;
  MutableBytes room_;
};

template <wire::EnvelopeCodec E, EnvelopeKind kKind>
class DecodeEnvelopeStep {
 public:
  DecodeEnvelopeStep(Access access, std::size_t bytes, Random& random)
      : envelopes_(access, bytes, random), room_(codec_.max_size(envelopes_[0])) {
    for (std::size_t i = 0; i < envelopes_.size(); ++i) {
      packets_.add(Bytes(room_).first(encode_envelope<kKind>(codec_, envelopes_[i], room_)));
    }
    packets_.seal(random);
  }

  std::size_t items() const noexcept { return packets_.size(); }
  double wire_bytes() const { return packets_.mean_bytes(); }

  std::string check() {
    for (std::size_t i = 0; i < envelopes_.size(); ++i) {
      std::string wrong = check_envelope<kKind>(codec_, envelopes_[i], room_);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  void operator()(std::size_t index) {
    wire::Envelope envelope;
    const wire::DecodeError error = decode_envelope<kKind>(codec_, packets_[index], envelope);
    consume(static_cast<bool>(error));
    consume(envelope.type);
    consume(envelope.body.data());
    consume(envelope.body.size());
  }

 private:
  E codec_{wire::Limits{}};
  EnvelopeSet envelopes_;
  std::vector<std::byte> room_;
  Shelf packets_;
};

}  // namespace wiremark::tools
