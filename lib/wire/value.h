// One typed value taken out of a packet of key/value pairs.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace wiremark::wire {

/// The alternatives, in the order of the pairs of experiment E6. Text borrows the packet.
using Value = std::variant<std::string_view, std::int32_t, std::uint32_t, std::int64_t,
                           std::uint64_t, float, double>;

/// The type a taker expects, as an index of Value: formats such as y3 do not carry it.
enum class ValueType : std::uint8_t { text, int32, uint32, int64, uint64, float32, float64 };

}  // namespace wiremark::wire
