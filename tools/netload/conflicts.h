// The options of a load that do not go together.
#pragma once

#include <string>

#include "netload/load_options.h"

namespace wiremark::tools {

/// The flag that asks for many runs; empty if there is none.
std::string asks_for_many(const LoadOptions& options);

/// A usage error that names the options and the fix; empty if all go together. It asks options as
/// they were given, before complete() fills in the others, and a target without its scheme.
std::string conflict_in(const LoadOptions& options);

}  // namespace wiremark::tools
