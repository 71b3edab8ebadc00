// Whether two runs had the same load.
#include "report/same_load.h"

#include <algorithm>

namespace wiremark::report {

namespace {

constexpr std::string_view kSend = "send";
constexpr std::string_view kDigest = "digest";

}  // namespace

std::optional<OtherOption> other_option(const RunResult& one, const RunResult& other,
                                        std::span<const std::string_view> free) {
  // A result of an earlier version has none.
  const std::string* ones_digest = one.find_option(kDigest);
  const std::string* others_digest = other.find_option(kDigest);
  const bool have_digests = ones_digest && others_digest;
  const bool same_digests = have_digests && *ones_digest == *others_digest;
  for (const RunResult* run : {&one, &other}) {
    for (const auto& [name, value] : run->config) {
      if (std::ranges::find(free, name) != free.end()) continue;
      if (name == kDigest ? !have_digests : name == kSend && same_digests) continue;
      const std::string* ones = one.find_option(name);
      const std::string* others = other.find_option(name);
      if (ones && others && *ones == *others) continue;
      return OtherOption{name, ones ? *ones : "not given", others ? *others : "not given"};
    }
  }
  if (one.latency.from != other.latency.from)
    return OtherOption{"latency-from", one.latency.from, other.latency.from};
  return std::nullopt;
}

}  // namespace wiremark::report
