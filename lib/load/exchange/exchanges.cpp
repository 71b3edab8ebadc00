// The exchanges by name: what users may ask of each, and how one is planned.
#include "load/exchange/exchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "load/exchange/custom.h"
#include "load/exchange/framed.h"
#include "load/exchange/raw.h"
#include "measure/quantity.h"
#include "net/datagram.h"
#include "wire/codecs.h"
#include "wire/formats.h"

namespace wiremark::load {

namespace {

constexpr SizeRange kSize{512, 512};

// Encodes `text` and decodes it again; the error says what the codec cannot carry.
template <wire::Codec C>
wire::DecodeError carries(C& codec, const std::string& text, std::size_t size_max,
                          std::vector<std::byte>& scratch) {
  const wire::Message sent{.head = INT32_MIN, .guid = INT32_MAX, .content = text};
  scratch.resize(std::max(scratch.size(), wire::max_frame_size(codec, sent)));
  const std::size_t size = wire::encode_frame(codec, sent, scratch);
  if (size == 0) return {wire::DecodeErrorKind::invalid_utf8, 0};
  if (size > size_max) return {wire::DecodeErrorKind::too_large, size_max};
  wire::Limits limits;
  limits.frame_size = size;
  wire::Frame frame;
  wire::Message got;
  return wire::decode_frame(codec, Bytes(scratch.data(), size), limits, frame, got);
}

template <wire::Codec C>
Result<> require_carried(C& codec, const wire::Contents& contents, const ExchangeOptions& options,
                         bool datagrams) {
  const std::size_t size_max =
      datagrams ? std::min(options.max_frame, net::kDatagramMax) : options.max_frame;
  std::vector<std::byte> scratch;
  for (std::size_t i = 0; i < contents.texts.size(); ++i) {
    const auto error = carries(codec, contents.texts[i], size_max, scratch);
    if (!error) continue;
    std::string fix;
    if (error.kind == wire::DecodeErrorKind::too_large)
      fix = size_max < options.max_frame ? " (no datagram is longer)"
                                         : " (raise --max-frame, of the server too)";
    return failed(fmt::format("line {} of {} cannot be sent: {}{}", i + 1, options.input,
                              wire::name_of(C::kName, error.kind), fix),
                  {}, 0);
  }
  return {};
}

Result<wire::Contents> contents_of(const ExchangeOptions& options) {
  if (options.input.empty()) return wire::e2_contents();
  return wire::read_contents(options.input);
}

}  // namespace

std::vector<std::string> exchange_names() { return wire::format_names(); }

std::string name_of(const ExchangeOptions& options) {
  return options.name.empty() ? std::string(RawPlan::kName) : options.name;
}

bool is_framed(const ExchangeOptions& options) {
  return !options.name.empty() && options.name != RawPlan::kName;
}

bool is_custom(const ExchangeOptions& options) { return is_custom(options.custom); }

std::string in_words(const ExchangeOptions& options) {
  if (is_custom(options)) return "replies framed as " + reply_of(options.custom, false);
  if (is_framed(options)) return "messages in " + options.name;
  return measure::format_counted(options.size.value_or(kSize).max, "byte");
}

std::string conflict_in(const ExchangeOptions& options, bool datagrams) {
  if (is_custom(options)) {
    if (!options.name.empty() || options.size || !options.input.empty())
      return "-f, --size and --input are of a netecho: leave them out, as --send says what is sent";
    return conflict_in(options.custom, datagrams, options.verify);
  }
  if (is_framed(options)) {
    if (!options.size) return {};
    return "--size is of raw messages: those of a format are as long as their contents, which "
           "--input names";
  }
  if (!options.input.empty())
    return "--input needs a format, such as -f json: raw messages hold noise";
  const SizeRange size = options.size.value_or(kSize);
  if (datagrams && (size.min < DatagramHeader::kSize || size.max > net::kDatagramMax)) {
    return fmt::format(
        "--size over UDP is from {}, the header that tells datagrams apart, to {}, the longest "
        "datagram",
        DatagramHeader::kSize, net::kDatagramMax);
  }
  return {};
}

Result<std::unique_ptr<ExchangePlan>> plan_exchange(const ExchangeOptions& options,
                                                    std::uint64_t run) {
  if (is_custom(options))
    return plan_custom(options.custom, run != 0, options.verify, options.max_frame, options.seed);
  if (!is_framed(options)) {
    const SizeRange size = options.size.value_or(kSize);
    return std::make_unique<RawPlan>(options.seed, size.min, size.max, options.verify, run);
  }
  auto contents = contents_of(options);
  if (!contents) return std::unexpected(contents.error());
  wire::Limits limits;
  limits.frame_size = options.max_frame;
  using Planned = Result<std::unique_ptr<ExchangePlan>>;
  auto planned = wire::with_codec(options.name, limits, [&]<class C>(C& codec) -> Planned {
    if (auto carried = require_carried(codec, *contents, options, run != 0); !carried)
      return std::unexpected(carried.error());
    return std::make_unique<CodecPlan<C>>(std::move(*contents), limits, options.seed,
                                          options.verify, run);
  });
  if (!planned) return std::unexpected(planned.error());
  return std::move(*planned);
}

}  // namespace wiremark::load
