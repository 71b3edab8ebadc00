// The steps of the packet workload (E2): one message through any Codec.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/message_set.h"
#include "bench/shelf.h"
#include "bench/subject.h"
#include "wire/codec.h"
#include "wire/contents.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace wiremark::bench {

/// Bytes around a packet on the wire: none if the format has a header of its own with the length.
template <class C>
inline constexpr double kFrameBytes =
    wire::kFramingOf<C> == wire::Framing::length_prefix ? wire::kLengthPrefixSize : 0;

/// The most room that any of `messages` needs.
template <class C>
std::size_t room_for(C& codec, const MessageSet& messages) {
  std::size_t room = 0;
  for (const wire::Message& message : messages.all()) {
    room = std::max(room, codec.max_size(message));
  }
  return room;
}

/// A JSON text with \uXXXX and surrogate pairs in place of all that is not ASCII, as many writers
/// make it. `json` must be UTF-8.
std::string escape_beyond_ascii(std::string_view json);

/// What is wrong with `received`, decoded with `error` from packet `index`; or nothing.
std::string compare(const wire::Message& sent, const wire::Message& received,
                    wire::DecodeError error, std::size_t index);

/// Encodes and decodes all of `messages`; what went wrong, or nothing.
template <class C>
std::string check_round_trip(C& codec, const MessageSet& messages, MutableBytes room) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::size_t size = codec.encode(messages[i], room);
    if (size == 0) return fmt::format("encode of content {} failed", i + 1);
    wire::Message received;
    const wire::DecodeError error = codec.decode(room.first(size), received);
    if (std::string wrong = compare(messages[i], received, error, i); !wrong.empty()) return wrong;
  }
  return {};
}

/// Makes the compiler compute the members of `message`; the bytes of the content are not touched.
inline void consume_message(const wire::Message& message, wire::DecodeError error) noexcept {
  consume(static_cast<bool>(error));
  consume(message.head);
  consume(message.guid);
  consume(message.content.data());
  consume(message.content.size());
}

/// Encodes to the same memory each time, as for the output of a connection; with `kReadBack` also
/// decodes what was just written.
template <wire::Codec C, bool kReadBack>
class WriteStep {
 public:
  WriteStep(Access access, const SharedContents& contents, Random& random)
      : messages_(access, *contents, random),
        desk_(room_for(codec_, messages_), random),
        room_(desk_.room()) {}

  std::size_t items() const noexcept { return messages_.size(); }
  std::string check() { return check_round_trip(codec_, messages_, room_); }

  double wire_bytes() {
    double sum = 0;
    for (const wire::Message& message : messages_.all()) {
      sum += static_cast<double>(codec_.encode(message, room_));
    }
    return kFrameBytes<C> + sum / static_cast<double>(messages_.size());
  }

  void operator()(std::size_t index) {
    const std::size_t size = codec_.encode(messages_[index], room_);
    consume_written(room_.data(), size);
    if constexpr (kReadBack) {
      wire::Message message;
      const wire::DecodeError error = codec_.decode(room_.first(size), message);
      consume_message(message, error);
    }
  }

 private:
  C codec_{wire::Limits{}};
  MessageSet messages_;
  Desk desk_;
  MutableBytes room_;
};

/// Decodes packets laid out at set-up. With `kEscaped` they are those of a JSON writer that keeps
/// to ASCII.
template <wire::Codec C, bool kEscaped = false>
class DecodeStep {
 public:
  DecodeStep(Access access, const SharedContents& contents, Random& random)
      : messages_(access, *contents, random) {
    std::vector<std::byte> room(room_for(codec_, messages_));
    for (const wire::Message& message : messages_.all()) {
      const Bytes packet = Bytes(room).first(codec_.encode(message, room));
      if constexpr (kEscaped) {
        packets_.add(as_bytes(escape_beyond_ascii(as_text(packet))));
      } else {
        packets_.add(packet);
      }
    }
    packets_.seal(random);
  }

  std::size_t items() const noexcept { return packets_.size(); }
  double wire_bytes() const { return kFrameBytes<C> + packets_.mean_bytes(); }

  std::string check() {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      wire::Message received;
      const wire::DecodeError error = codec_.decode(packets_[i], received);
      std::string wrong = compare(messages_[i], received, error, i);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  void operator()(std::size_t index) {
    wire::Message message;
    const wire::DecodeError error = codec_.decode(packets_[index], message);
    consume_message(message, error);
  }

 private:
  C codec_{wire::Limits{}};
  MessageSet messages_;
  Shelf packets_;
};

/// Copies the contents only: a lower bound for every encoder that copies.
class CopyStep {
 public:
  CopyStep(Access access, const SharedContents& contents, Random& random);

  std::size_t items() const noexcept { return messages_.size(); }
  std::string check() const { return {}; }
  double wire_bytes() const;

  void operator()(std::size_t index) {
    const std::string_view content = messages_[index].content;
    std::memcpy(room_.data(), content.data(), content.size());
    consume_written(room_.data(), content.size());
  }

 private:
  MessageSet messages_;
  Desk desk_;
  MutableBytes room_;
};

}  // namespace wiremark::bench
