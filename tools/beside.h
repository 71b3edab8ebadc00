// The other tools, as programs that one starts.
#pragma once

#include <string>

#include "base/result.h"

namespace wiremark::tools {

/// The path of the tool called `name`, which stands beside this program. Errors: it is not there,
/// or nobody can say where this program is.
Result<std::string> beside_this_program(const std::string& name);

}  // namespace wiremark::tools
