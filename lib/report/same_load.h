// Whether two runs had the same load.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/result.h"

namespace wiremark::report {

/// An option of the load that two runs do not have in common, with both values.
struct OtherOption {
  std::string name;
  std::string one;
  std::string other;
};

/// The first of them, which is none of `free`; none where the loads are the same. Of what is sent
/// and expected, `digest` stands for all but the host, and `send` shows the beginning: it counts
/// where the digests differ, or one has none.
std::optional<OtherOption> other_option(const RunResult& one, const RunResult& other,
                                        std::span<const std::string_view> free);

}  // namespace wiremark::report
