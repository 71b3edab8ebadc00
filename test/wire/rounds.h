// How many inputs a test makes at random.
#pragma once

namespace wiremark::wire::test {

/// A quarter of `all` under the address sanitizer, where each takes many times as long: what is
/// compared is compared in full without it, and fuzz targets of the same build look for its faults.
constexpr unsigned rounds(unsigned all) noexcept { return all / ROUNDS_DIVISOR; }

}  // namespace wiremark::wire::test
