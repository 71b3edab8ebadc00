// Chooses, at run time, which of the compiled readers this processor can run.
#include "wire/json/simdjson_reader.h"

#include <array>

namespace wiremark::wire {

// json/simdjson_kernel.cpp is compiled once for each of these.
std::unique_ptr<SimdjsonReader> make_simdjson_reader_baseline(Limits limits);
#ifdef __x86_64__
std::unique_ptr<SimdjsonReader> make_simdjson_reader_haswell(Limits limits);
std::unique_ptr<SimdjsonReader> make_simdjson_reader_icelake(Limits limits);
#endif

namespace {

struct Kernel {
  std::string_view name;
  bool (*runs)();
  std::unique_ptr<SimdjsonReader> (*make)(Limits);
};

#ifdef __x86_64__
bool has_haswell() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("popcnt");
}

bool has_icelake() {
  return has_haswell() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2");
}
#endif

constexpr std::array kKernels = {
#ifdef __x86_64__
    Kernel{"icelake", has_icelake, make_simdjson_reader_icelake},
    Kernel{"haswell", has_haswell, make_simdjson_reader_haswell},
#endif
    Kernel{"baseline", [] { return true; }, make_simdjson_reader_baseline},
};

}  // namespace

std::unique_ptr<SimdjsonReader> make_simdjson_reader(Limits limits) {
  for (const Kernel& kernel : kKernels) {
    if (kernel.runs()) return kernel.make(limits);
  }
  return nullptr;
}

std::unique_ptr<SimdjsonReader> make_simdjson_reader(std::string_view kernel, Limits limits) {
  for (const Kernel& known : kKernels) {
    if (known.name == kernel && known.runs()) return known.make(limits);
  }
  return nullptr;
}

}  // namespace wiremark::wire
