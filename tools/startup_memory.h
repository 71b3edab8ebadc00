// The memory that only the start of a process needed, given back once it runs.
#pragma once

namespace wiremark::tools {

/// Gives back what malloc(3) holds unused, and the mapped pages of files that hold nothing of this
/// process's own: the code that read options and linked libraries. What runs comes back from the
/// page cache when it is touched, 64 KiB a fault.
void give_back_startup_memory();

}  // namespace wiremark::tools
