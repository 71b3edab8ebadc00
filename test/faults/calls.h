// System calls by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wiremark::faults {

std::optional<int> number_of(std::string_view call);

/// "call_123" for one that the table has not.
std::string name_of(int number);

/// "ENOMEM" as a number.
std::optional<int> errno_of(std::string_view name);

}  // namespace wiremark::faults
