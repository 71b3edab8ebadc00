// Whether two runs had the same load.
#include "report/same_load.h"

#include <algorithm>

namespace wiremark::report {

namespace {

using Options = decltype(RunResult::config);

constexpr std::string_view kSend = "send";
constexpr std::string_view kDigest = "digest";

const std::string* value_of(const Options& options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Options::value_type::first);
  return found == options.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<OtherOption> other_option(const RunResult& one, const RunResult& other,
                                        std::span<const std::string_view> free) {
  // A result of an earlier version has none.
  const std::string* ones_digest = value_of(one.config, kDigest);
  const std::string* others_digest = value_of(other.config, kDigest);
  const bool have_digests = ones_digest && others_digest;
  const bool same_digests = have_digests && *ones_digest == *others_digest;
  for (const Options* options : {&one.config, &other.config}) {
    for (const auto& [name, value] : *options) {
      if (std::ranges::find(free, name) != free.end()) continue;
      if (name == kDigest ? !have_digests : name == kSend && same_digests) continue;
      const std::string* ones = value_of(one.config, name);
      const std::string* others = value_of(other.config, name);
      if (ones && others && *ones == *others) continue;
      return OtherOption{name, ones ? *ones : "not given", others ? *others : "not given"};
    }
  }
  if (one.latency.from != other.latency.from)
    return OtherOption{"latency-from", one.latency.from, other.latency.from};
  return std::nullopt;
}

}  // namespace wiremark::report
