// Messages in a format: the contents of E2 or the user's own, each answer decoded and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mix.h"
#include "load/exchange/exchange.h"
#include "wire/contents.h"
#include "wire/describe.h"
#include "wire/frame.h"

namespace wiremark::load {

/// What the exchanges of a format share, whatever the codec.
class FramedPlan : public ExchangePlan {
 public:
  /// `run` is 0 over streams.
  FramedPlan(wire::Contents contents, const wire::Limits& limits, std::uint64_t seed, bool verify,
             std::uint64_t run)
      : contents_(std::move(contents)), limits_(limits), seed_(seed), verify_(verify), run_(run) {}

  std::pair<std::string, std::string> contents() const final;
  std::optional<std::uint64_t> digest() const final;
  bool verifies() const noexcept final { return verify_; }
  std::pair<std::string, std::string> checked() const final;
  std::string unanswered() const final;
  std::string note() const final { return contents_.note; }

  const wire::Limits& limits() const noexcept { return limits_; }

  /// Message `sequence` of a connection has the head of E1, a guid of its own, and the next content
  /// of the list. The sequence can be computed from the guid of a datagram.
  wire::Message message(std::uint32_t connection, std::uint32_t sequence) const noexcept;
  std::uint32_t sequence_of(std::uint32_t connection, const wire::Message& reply) const noexcept;

  /// How a reply that is a valid message differs from the one that was sent.
  Refusal difference(const wire::Message& got, const wire::Message& sent) const;

 private:
  static constexpr std::int32_t kHead = 567;

  std::uint32_t key_of(std::uint32_t connection) const noexcept {
    return static_cast<std::uint32_t>(mix(seed_ + run_ + connection)) & INT32_MAX;
  }

  wire::Contents contents_;
  wire::Limits limits_;
  std::uint64_t seed_;
  bool verify_;
  std::uint64_t run_;
};

inline wire::Message FramedPlan::message(std::uint32_t connection,
                                         std::uint32_t sequence) const noexcept {
  const std::size_t text = (std::size_t{connection} + sequence) % contents_.texts.size();
  wire::Message message{.head = kHead, .content = contents_.texts[text]};
  if (run_ == 0) {
    const std::uint64_t place = std::uint64_t{connection} << 32 | sequence;
    message.guid = static_cast<std::int32_t>(mix(seed_ + place) & INT32_MAX);
  } else {
    message.head += static_cast<std::int32_t>(sequence >> 31);
    message.guid = static_cast<std::int32_t>((sequence ^ key_of(connection)) & INT32_MAX);
  }
  return message;
}

template <wire::Codec C>
class FramedExchange final : public Exchange {
 public:
  explicit FramedExchange(const FramedPlan& plan)
      : Exchange(false), plan_(plan), verify_(plan.verifies()), codec_(plan.limits()) {}

  void opened(std::size_t) override {}  // Nothing to forget: a reply is read only when it is whole.

  Bytes request(MessageId id) override {
    const wire::Message message = plan_.message(id.connection, id.sequence);
    const std::size_t room = wire::max_frame_size(codec_, message);
    if (scratch_.size() < room) [[unlikely]]
      scratch_.resize(room);
    return {scratch_.data(), wire::encode_frame(codec_, message, scratch_)};
  }

  Reply reply(MessageId id, Bytes bytes) override {
    wire::Frame frame;
    wire::Message got;
    if (const auto error = verify_ ? wire::decode_frame(codec_, bytes, plan_.limits(), frame, got)
                                   : next_frame(bytes, frame)) {
      if (error.kind == wire::DecodeErrorKind::need_more_data) return {};
      refusal_ = {wire::name_of(C::kName, error.kind), wire::describe(C::kName, error, bytes)};
      return {.refused = true};
    }
    const Reply whole{.consumed = frame.size, .size = static_cast<std::uint32_t>(frame.size)};
    if (!verify_) return whole;
    const wire::Message sent = plan_.message(id.connection, id.sequence);
    if (got == sent) return whole;
    refusal_ = plan_.difference(got, sent);
    return {.refused = true};
  }

  std::optional<std::uint32_t> sequence_of(MessageId next, Bytes datagram) override {
    wire::Frame frame;
    wire::Message got;
    if (wire::decode_frame(codec_, datagram, plan_.limits(), frame, got)) return std::nullopt;
    return plan_.sequence_of(next.connection, got);
  }

  Refusal refusal() const override { return refusal_; }

 private:
  wire::DecodeError next_frame(Bytes bytes, wire::Frame& frame) const noexcept {
    return wire::next_frame(wire::kFramingOf<C>, bytes, plan_.limits(), frame);
  }

  const FramedPlan& plan_;
  bool verify_;
  C codec_;
  std::vector<std::byte> scratch_;  // Room for the longest message so far.
  Refusal refusal_;
};

template <wire::Codec C>
class CodecPlan final : public FramedPlan {
 public:
  using FramedPlan::FramedPlan;

  std::unique_ptr<Exchange> exchange(std::size_t) const override {
    return std::make_unique<FramedExchange<C>>(*this);
  }
  std::string_view name() const noexcept override { return C::kName; }
};

}  // namespace wiremark::load
