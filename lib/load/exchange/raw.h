// Messages without a format: windows of a random block, which every byte of a reply is compared
// with.
#pragma once

#include <array>
#include <vector>

#include "load/exchange/exchange.h"
#include "load/exchange/pattern.h"
#include "wire/formats.h"

namespace wiremark::load {

/// What stands at the front of every raw datagram, so that its answer is known: three little-endian
/// numbers. The rest is the window that a stream would carry whole.
struct DatagramHeader {
  static constexpr std::size_t kSize = 16;

  std::uint64_t run;         ///< Of this run alone: a port may have been another's before.
  std::uint32_t connection;  ///< Its number in the load.
  std::uint32_t sequence;    ///< Of the connection.

  /// Nothing where `bytes` are too few.
  static std::optional<DatagramHeader> read(Bytes bytes) noexcept;
  void write(std::byte* to) const noexcept;
};

class RawPlan final : public ExchangePlan {
 public:
  static constexpr std::string_view kName = wire::kRaw;

  /// `run` is 0 over streams; over datagrams no message is shorter than their header.
  RawPlan(std::uint64_t seed, std::size_t size_min, std::size_t size_max, bool verify,
          std::uint64_t run)
      : pattern_(seed, size_min, size_max), verify_(verify), run_(run) {}

  std::unique_ptr<Exchange> exchange(std::size_t clients) const override;
  std::string_view name() const noexcept override { return kName; }
  std::pair<std::string, std::string> contents() const override;
  bool verifies() const noexcept override { return verify_; }
  std::string verified() const override;

  const Pattern& pattern() const noexcept { return pattern_; }
  std::uint64_t run() const noexcept { return run_; }

 private:
  Pattern pattern_;
  bool verify_;
  std::uint64_t run_;
};

class RawExchange final : public Exchange {
 public:
  RawExchange(const RawPlan& plan, std::size_t clients)
      : Exchange(true),
        pattern_(plan.pattern()),
        run_(plan.run()),
        verify_(plan.verifies()),
        read_(clients) {}

  void opened(std::size_t client) override { read_[client] = 0; }
  Bytes request(MessageId message) override;
  Bytes head(MessageId message) override;
  Reply reply(MessageId message, Bytes bytes) override;
  std::optional<std::uint32_t> sequence_of(std::uint32_t connection, Bytes datagram) override;
  Refusal refusal() const override {
    return {"wrong reply", "a reply differed from what was sent"};
  }

 private:
  Reply read_piece(std::uint32_t& read, Bytes window, Bytes bytes) const;
  Reply datagram_reply(Bytes window, Bytes bytes) const;

  const Pattern& pattern_;
  const std::uint64_t run_;
  const bool verify_;
  std::vector<std::uint32_t> read_;  // By client: bytes of the reply that is under way.
  std::array<std::byte, DatagramHeader::kSize> header_;
};

}  // namespace wiremark::load
