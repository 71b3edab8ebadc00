// The libraries to compare with that not every build has, because not every Debian packages them.
#pragma once

#include <array>
#include <string_view>

namespace wiremark::tools {

struct OptionalLibrary {
  std::string_view format;
  std::string_view implementation;
  std::string_view needs;  ///< What brings it, for a sentence.
  bool is_here;
};

/// Each has WIREMARK_HAS_..., 0 or 1, which tools/meson.build finds out.
inline constexpr std::array kOptionalLibraries = {
    OptionalLibrary{"json", "yyjson", "libyyjson-dev (Debian 13)", WIREMARK_HAS_YYJSON != 0},
    OptionalLibrary{"json", "rapidjson", "rapidjson-dev (and g++)", WIREMARK_HAS_RAPIDJSON != 0},
    OptionalLibrary{"protobuf", "upb", "libupb-dev", WIREMARK_HAS_UPB != 0},
    OptionalLibrary{"protobuf", "upb-utf8", "libupb-dev", WIREMARK_HAS_UPB != 0},
};

}  // namespace wiremark::tools
