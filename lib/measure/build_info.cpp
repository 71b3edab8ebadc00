// How this program was built, as far as that changes its speed.
#include "measure/build_info.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "measure/build_options.h"

#ifndef __has_feature
#define __has_feature(name) 0  // GCC has __SANITIZE_ macros instead.
#endif

namespace wiremark::measure {

namespace {

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return {};
#endif
}

// The macros tell whether the compiler optimizes, the configuration of the build how much.
std::string optimization() {
#if !defined(__OPTIMIZE__)
  return "0";
#elif defined(__OPTIMIZE_SIZE__)
  return "s";
#else
  return WIREMARK_OPTIMIZATION;
#endif
}

// The levels of the x86-64 ABI, each recognised by extensions that it is the first to require.
std::string instructions() {
#if defined(__x86_64__) && defined(__AVX512VL__) && defined(__AVX512BW__)
  return "x86-64-v4";
#elif defined(__x86_64__) && defined(__AVX2__) && defined(__BMI2__)
  return "x86-64-v3";
#elif defined(__x86_64__) && defined(__SSE4_2__) && defined(__POPCNT__)
  return "x86-64-v2";
#elif defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return fmt::format("armv{}-a", __ARM_ARCH);
#else
  return {};
#endif
}

constexpr bool asserts() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

constexpr bool library_asserts() {
#if defined(_GLIBCXX_ASSERTIONS) || defined(_GLIBCXX_DEBUG)
  return true;
#elif defined(_LIBCPP_HARDENING_MODE) && defined(_LIBCPP_HARDENING_MODE_NONE)
  return _LIBCPP_HARDENING_MODE != _LIBCPP_HARDENING_MODE_NONE;
#else
  return false;
#endif
}

// The configuration names them; CXXFLAGS can add what it does not know of, and GCC has no macro for
// the undefined behaviour sanitizer.
std::string sanitizers() {
  std::string names = WIREMARK_SANITIZERS;
  const auto add = [&names](std::string_view name) {
    if (names.find(name) == std::string::npos) names.append(names.empty() ? "" : ",").append(name);
  };
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  add("address");
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
  add("thread");
#endif
  (void)add;
  return names;
}

}  // namespace

BuildInfo build_info() {
  return {.compiler = compiler_name(),
          .optimization = optimization(),
          .instructions = instructions(),
          .asserts = asserts(),
          .library_asserts = library_asserts(),
          .link_time = WIREMARK_LINK_TIME,
          .coverage = WIREMARK_COVERAGE,
          .profile = WIREMARK_PROFILE,
          .sanitizers = sanitizers(),
          .arguments = WIREMARK_ARGUMENTS};
}

std::string build_flags(const BuildInfo& build) {
  std::string text = "-O" + build.optimization;
  const auto add = [&text](const std::string& flag, bool given = true) {
    if (given && !flag.empty()) text += ' ' + flag;
  };
  add("-DNDEBUG", !build.asserts);
  add("-D_GLIBCXX_ASSERTIONS", build.library_asserts);
  add("-march=" + build.instructions, !build.instructions.empty());
  add("-flto", build.link_time);
  add("-fprofile-" + build.profile, !build.profile.empty());
  add("--coverage", build.coverage);
  add("-fsanitize=" + build.sanitizers, !build.sanitizers.empty());
  add(build.arguments);
  return text;
}

std::vector<std::string> slowed_by(const BuildInfo& build) {
  std::vector<std::string> reasons;
  const auto add = [&reasons](bool holds, std::string reason) {
    if (holds) reasons.push_back(std::move(reason));
  };
  add(build.optimization != "2" && build.optimization != "3",
      "compiled with -O" + build.optimization);
  add(build.asserts, "assertions are checked");
  add(build.library_asserts, "the standard library checks itself");
  add(build.profile == "generate" || build.coverage, "its branches are counted");
  add(!build.sanitizers.empty(), "sanitizers run: " + build.sanitizers);
  return reasons;
}

}  // namespace wiremark::measure
