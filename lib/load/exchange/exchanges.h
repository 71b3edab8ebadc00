// The exchanges by name: what users may ask of each, and the plan that comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/exchange/exchange.h"
#include "wire/codec.h"

namespace wiremark::load {

/// Bytes of a message, or the range that they are drawn from.
struct SizeRange {
  std::size_t min = 0;
  std::size_t max = 0;
};

/// What a user asks of the messages. What was not given is the exchange's own choice.
struct ExchangeOptions {
  std::string name = {};               ///< One of exchange_names(); empty: the first of them.
  std::optional<SizeRange> size = {};  ///< Messages without a format; not given: 512 bytes.
  std::string input = {};  ///< Contents of a format, one a line; empty: the texts of E2.
  std::size_t max_frame = wire::Limits().frame_size;  ///< Longest message of a format.
  bool verify = true;
  std::uint64_t seed = 1;
};

/// All of them; the first is what nobody has to ask for.
std::vector<std::string> exchange_names();

/// The name that was given, or that of the first.
std::string name_of(const ExchangeOptions& options);

/// Whether the messages are in a format, and not of bytes that nobody looks into.
bool is_framed(const ExchangeOptions& options);

/// "512 bytes", or "messages in json".
std::string in_words(const ExchangeOptions& options);

/// The part of the options that does not go with the exchange, or with datagrams, and the fix;
/// empty where all does.
std::string conflict_in(const ExchangeOptions& options, bool datagrams);

/// `run` tells the datagrams of this run from those of any other, and is 0 over streams. Errors: an
/// input that cannot be read, or a line of it that the format, or a datagram, cannot carry.
Result<std::unique_ptr<ExchangePlan>> plan_exchange(const ExchangeOptions& options,
                                                    std::uint64_t run);

}  // namespace wiremark::load
