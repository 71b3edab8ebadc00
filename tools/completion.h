// Completion scripts, made from a tool's own list of options.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace wiremark::tools {

/// The script that `shell` ("bash", "zsh" or "fish") sources to complete the options of `app`.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace wiremark::tools
