// How many inputs a test makes at random.
#pragma once

#ifndef __has_feature
#define __has_feature(name) 0  // GCC has __SANITIZE_ macros instead.
#endif

namespace wiremark::wire::test {

/// A quarter of `all` under the address sanitizer, where each takes many times as long: what is
/// compared is compared in full without it, and fuzz targets of the same build look for its faults.
constexpr unsigned rounds(unsigned all) noexcept {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  return all / 4;
#else
  return all;
#endif
}

}  // namespace wiremark::wire::test
