// Features of io_uring that a user may ask for.
#include "net/uring_options.h"

#include <algorithm>

#include "base/list.h"
#include "base/units.h"

namespace wiremark::net {

namespace {

constexpr Nanoseconds kSqpollIdle = 100 * kMillisecond;
constexpr Nanoseconds kNapiBusy = 50 * kMicrosecond;
constexpr std::uint64_t kZeroCopyMin = 16 << 10;

struct KeyAndValue {
  std::string key;
  std::string value;  // Empty when not given.
};

std::unexpected<Error> refused(const KeyAndValue& item, const char* why) {
  return failed("'" + item.key + (item.value.empty() ? "" : "=" + item.value) + "' " + why, {}, 0);
}

Result<> set_flag(bool& flag, bool on, const KeyAndValue& item) {
  if (!item.value.empty()) return refused(item, "takes no value");
  flag = on;
  return {};
}

Result<> set_time(Nanoseconds& time, Nanoseconds standard, const KeyAndValue& item) {
  const auto value =
      item.value.empty() ? Result<Nanoseconds>(standard) : parse_duration(item.value);
  if (!value) return std::unexpected(value.error());
  if (*value < kMicrosecond || *value > 10 * kSecond)
    return refused(item, "is not from 1us to 10s");
  time = *value;
  return {};
}

Result<> set_zero_copy(std::size_t& min, const KeyAndValue& item) {
  const auto value =
      item.value.empty() ? Result<std::uint64_t>(kZeroCopyMin) : parse_size(item.value);
  if (!value) return std::unexpected(value.error());
  if (*value == 0) return refused(item, "is not a size of 1 or more");
  min = static_cast<std::size_t>(*value);
  return {};
}

Result<> set(UringOptions& options, const KeyAndValue& item) {
  if (item.key == "direct") return set_flag(options.direct, true, item);
  if (item.key == "bundle") return set_flag(options.bundle, true, item);
  if (item.key == "nominwait") return set_flag(options.min_wait, false, item);
  if (item.key == "sqpoll") return set_time(options.sqpoll_ns, kSqpollIdle, item);
  if (item.key == "napi") return set_time(options.napi_ns, kNapiBusy, item);
  if (item.key == "zc") return set_zero_copy(options.zero_copy_min, item);
  return refused(item,
                 "is not one of direct, bundle, nominwait, sqpoll[=TIME], napi[=TIME], "
                 "zc[=SIZE]");
}

}  // namespace

Result<UringOptions> UringOptions::parse(std::string_view text) {
  UringOptions options;
  if (text == kNone) return options;
  for (const std::string_view item : split_list(text)) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const KeyAndValue parts{std::string(item.substr(0, equals)),
                            std::string(item.substr(std::min(equals + 1, item.size())))};
    if (auto done = set(options, parts); !done) return std::unexpected(done.error());
  }
  return options;
}

std::string UringOptions::to_string() const {
  std::string text;
  const auto add = [&text](bool on, const std::string& item) {
    if (on) text += (text.empty() ? "" : ",") + item;
  };
  add(direct, "direct");
  add(bundle, "bundle");
  add(!min_wait, "nominwait");
  add(sqpoll_ns > 0, "sqpoll=" + format_duration(sqpoll_ns));
  add(napi_ns > 0, "napi=" + format_duration(napi_ns));
  add(zero_copy_min > 0, "zc=" + std::to_string(zero_copy_min));
  return text.empty() ? kNone : text;
}

}  // namespace wiremark::net
