// Messages without a format: windows of a random block. Every byte of a reply is compared.
#pragma once

#include <array>
#include <vector>

#include "load/exchange/exchange.h"
#include "load/exchange/pattern.h"
#include "wire/formats.h"

namespace wiremark::load {

/// The front of every raw datagram, by which its answer is recognised: three little-endian numbers.
/// The window of the pattern follows, without the bytes that the header replaces.
struct DatagramHeader {
  static constexpr std::size_t kSize = 16;

  std::uint64_t run;         ///< Marks this run: another may have used the port before.
  std::uint32_t connection;  ///< The number of the connection in the load.
  std::uint32_t sequence;    ///< The number of the message on its connection.

  /// None if `bytes` are too few.
  static std::optional<DatagramHeader> read(Bytes bytes) noexcept {
    if (bytes.size() < kSize) return std::nullopt;
    return DatagramHeader{load_le<std::uint64_t>(bytes.data()),
                          load_le<std::uint32_t>(bytes.data() + 8),
                          load_le<std::uint32_t>(bytes.data() + 12)};
  }
  void write(std::byte* to) const noexcept {
    store_le(to, run);
    store_le(to + 8, connection);
    store_le(to + 12, sequence);
  }
};

class RawPlan final : public ExchangePlan {
 public:
  static constexpr std::string_view kName = wire::kRaw;

  /// `run` is 0 over streams. Datagrams are at least as long as their header.
  RawPlan(std::uint64_t seed, std::size_t size_min, std::size_t size_max, bool verify,
          std::uint64_t run)
      : pattern_(seed, size_min, size_max), verify_(verify), run_(run) {}

  std::unique_ptr<Exchange> exchange(std::size_t clients) const override;
  std::string_view name() const noexcept override { return kName; }
  std::pair<std::string, std::string> contents() const override;
  bool verifies() const noexcept override { return verify_; }
  std::pair<std::string, std::string> checked() const override;
  std::string unanswered() const override;

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
  std::optional<std::uint32_t> sequence_of(MessageId next, Bytes datagram) override;
  Refusal refusal() const override {
    return {"wrong reply", "a reply differed from what was sent"};
  }
  std::string unfinished(std::size_t client) const override;

 private:
  Reply read_piece(std::uint32_t& read, Bytes window, Bytes bytes) const;
  Reply datagram_reply(Bytes window, Bytes bytes) const;

  const Pattern& pattern_;
  const std::uint64_t run_;
  const bool verify_;
  std::vector<std::uint32_t> read_;  // By client: bytes read of the current reply.
  std::array<std::byte, DatagramHeader::kSize> header_;
};

}  // namespace wiremark::load
