// The other tools, as programs that one starts.
#include "beside.h"

#include <filesystem>
#include <system_error>

namespace wiremark::tools {

Result<std::string> beside_this_program(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return failed("readlink", "/proc/self/exe (" + name + " is looked for beside it: mount /proc)",
                  error.value());
  const fs::path program = own.parent_path() / name;
  if (!fs::exists(program, error))
    return failed(name, "is not beside this program: " + program.string(), 0);
  return program.string();
}

}  // namespace wiremark::tools
