// The exchanges by name: what users may ask of each, and how one is planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/exchange/custom_options.h"
#include "load/exchange/exchange.h"
#include "wire/codec.h"

namespace wiremark::load {

/// The size of messages in bytes, or the range that it is drawn from.
struct SizeRange {
  std::size_t min = 0;
  std::size_t max = 0;
};

/// What a user asks of the messages. The exchange chooses what was not given.
struct ExchangeOptions {
  std::string name = {};               ///< One of exchange_names(); empty: the first of them.
  std::optional<SizeRange> size = {};  ///< Of messages without a format; not given: 512 bytes.
  std::string input = {};  ///< File of contents for a format, one a line; empty: the texts of E2.
  std::size_t max_frame =
      wire::Limits().frame_size;  ///< The longest message of a format, or reply.
  bool verify = true;
  std::uint64_t seed = 1;
  CustomOptions custom = {};  ///< Of a protocol that is not netecho's.
};

/// All names; the first is the default.
std::vector<std::string> exchange_names();

/// The name that was given, or the default.
std::string name_of(const ExchangeOptions& options);

/// Whether the load speaks a protocol other than netecho's.
bool is_custom(const ExchangeOptions& options);

/// Whether the messages are in a format, not plain bytes.
bool is_framed(const ExchangeOptions& options);

/// "512 bytes", or "messages in json".
std::string in_words(const ExchangeOptions& options);

/// Which option does not fit the exchange, or datagrams, and the fix; empty if all fit.
std::string conflict_in(const ExchangeOptions& options, bool datagrams);

/// `run` marks the datagrams of this run, so that those of another are not taken for answers; it is
/// 0 over streams. Errors: an input that cannot be read, or a line of it that the format or a
/// datagram cannot carry.
Result<std::unique_ptr<ExchangePlan>> plan_exchange(const ExchangeOptions& options,
                                                    std::uint64_t run);

}  // namespace wiremark::load
