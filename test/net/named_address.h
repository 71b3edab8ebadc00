// Addresses as tests write them.
#pragma once

#include <string>

#include "net/address.h"

namespace wiremark::net {

inline Address address(const std::string& text) { return Address::parse(text).value(); }

}  // namespace wiremark::net
