// The steps of the take workload (E6): one value out of a packet of many.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/shelf.h"
#include "bench/subject.h"
#include "codecbench/cell.h"
#include "wire/pairs.h"

namespace wiremark::tools {

/// The values of a packet of `pairs` pairs: those of E6 when hot. Cold packets hold random values
/// of the same types and all lengths, since a branch predictor would learn equal packets.
class ValueSet {
 public:
  ValueSet(Access access, std::size_t pairs, Random& random);

  std::span<const wire::Value> values() const noexcept { return values_; }

 private:
  std::vector<wire::Value> values_;
};

/// The middle key: 2 of 3, 8 of 16, 16 of 32, 32 of 63, as in the experiment.
constexpr unsigned middle_key(std::size_t pairs) noexcept {
  return static_cast<unsigned>((pairs + 1) / 2);
}

/// How many different packets a hot row has: E6 used one.
inline constexpr std::size_t kHotPackets = 1;

template <wire::Pairs P>
class EncodePairsStep {
 public:
  EncodePairsStep(Access access, std::size_t pairs, Random& random) {
    const std::size_t count =
        item_count(access == Access::cold, kHotPackets, pairs * sizeof(wire::Value));
    for (std::size_t i = 0; i < count; ++i) sets_.emplace_back(access, pairs, random);
    std::size_t room = 0;
    for (const ValueSet& set : sets_) room = std::max(room, codec_.max_size(set.values()));
    desk_ = std::make_unique<Desk>(room, random);
    room_ = desk_->room();
  }

  std::size_t items() const noexcept { return sets_.size(); }

  std::string check() {
    for (const ValueSet& set : sets_) {
      if (codec_.encode(set.values(), room_) == 0) return "encode of the pairs failed";
    }
    return {};
  }

  double wire_bytes() {
    double sum = 0;
    for (const ValueSet& set : sets_) {
      sum += static_cast<double>(codec_.encode(set.values(), room_));
    }
    return sum / static_cast<double>(sets_.size());
  }

  void operator()(std::size_t index) {
    const std::size_t size = codec_.encode(sets_[index].values(), room_);
    consume_written(room_.data(), size);
  }

 private:
  P codec_{wire::Limits{}};
  std::vector<ValueSet> sets_;
  std::unique_ptr<Desk> desk_;
  MutableBytes room_;
};

/// Takes the value of the middle key; `kWhole` checks the packet to its end.
template <wire::Pairs P, bool kWhole>
class TakeStep {
 public:
  TakeStep(Access access, std::size_t pairs, Random& random)
      : key_(middle_key(pairs)), type_(wire::pair_type(key_)) {
    std::vector<std::byte> room;
    for (std::size_t i = 0, count = 1; i < count; ++i) {
      const ValueSet& set = sets_.emplace_back(access, pairs, random);
      room.resize(std::max(room.size(), codec_.max_size(set.values())));
      const std::size_t size = codec_.encode(set.values(), room);
      packets_.add(Bytes(room).first(size));
      if (i == 0) count = item_count(access == Access::cold, kHotPackets, size);
    }
    packets_.seal(random);
  }

  std::size_t items() const noexcept { return packets_.size(); }
  double wire_bytes() const { return packets_.mean_bytes(); }

  std::string check() {
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      wire::Value value;
      if (const wire::DecodeError error = take(packets_[i], value)) {
        return fmt::format("take of key {} from packet {}: {}", key_, i + 1, describe(error));
      }
      if (value == sets_[i].values()[key_ - 1]) continue;
      return fmt::format("key {} of packet {} comes back changed", key_, i + 1);
    }
    return {};
  }

  void operator()(std::size_t index) {
    wire::Value value;
    const wire::DecodeError error = take(packets_[index], value);
    consume(static_cast<bool>(error));
    consume_object(value);
  }

 private:
  wire::DecodeError take(Bytes packet, wire::Value& value) {
    if constexpr (kWhole) return codec_.take_checked(packet, key_, type_, value);
    return codec_.take(packet, key_, type_, value);
  }

  P codec_{wire::Limits{}};
  unsigned key_;
  wire::ValueType type_;
  std::vector<ValueSet> sets_;
  Shelf packets_;
};

}  // namespace wiremark::tools
