// Where the program of an AF_XDP backend runs.
#pragma once

#include <string_view>

#include "base/result.h"

namespace wiremark::net {

/// Where the program runs: in the driver, in the kernel's own code behind it, or wherever the
/// driver allows. The second copies each frame into a buffer of the kernel first.
enum class XdpMode { automatic, native, generic };

/// "auto", "native" or "generic".
Result<XdpMode> parse_xdp_mode(std::string_view text);
std::string_view to_string(XdpMode mode) noexcept;

}  // namespace wiremark::net
