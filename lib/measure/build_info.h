// How this program was built, as far as that changes its speed.
#pragma once

#include <string>
#include <vector>

namespace wiremark::measure {

/// What the compiler was asked for: from its predefined macros where it has one for that, else from
/// the configuration of the build.
struct BuildInfo {
  std::string compiler;      ///< "g++ 12.2.0".
  std::string optimization;  ///< What stands behind -O: "3".
  std::string instructions;  ///< The oldest processor it runs on: "x86-64", "x86-64-v3".
  bool asserts = false;      ///< assert() is checked: NDEBUG is not defined.
  /// The standard library checks itself: _GLIBCXX_ASSERTIONS, _GLIBCXX_DEBUG or hardened libc++.
  bool library_asserts = false;
  bool link_time = false;  ///< -flto.
  bool coverage = false;   ///< Each branch counts how often it is taken.
  std::string profile;     ///< "generate" or "use" where there is one.
  std::string sanitizers;  ///< "address,undefined".
  std::string arguments;   ///< What else was given, such as by CXXFLAGS.
};

/// Of the running program.
BuildInfo build_info();

/// As a compiler is told: "-O3 -DNDEBUG -march=x86-64".
std::string build_flags(const BuildInfo& build);

/// What makes it slower than a plain release, a phrase each: "assertions are checked". Empty where
/// figures of this program and of other releases can be compared.
std::vector<std::string> slowed_by(const BuildInfo& build);

}  // namespace wiremark::measure
