// Chooses, at run time, which of the compiled calls of simdjson this processor can run.
#include "codecbench/rivals/simdjson_documented.h"

#include <simdjson.h>

#include "wire/json/simdjson_reader.h"

namespace wiremark::tools {

// codecbench/rivals/simdjson_calls.cpp is compiled once for each of these.
std::unique_ptr<SimdjsonCalls> make_simdjson_calls_baseline(const wire::Limits& limits);
#ifdef __x86_64__
std::unique_ptr<SimdjsonCalls> make_simdjson_calls_haswell(const wire::Limits& limits);
std::unique_ptr<SimdjsonCalls> make_simdjson_calls_icelake(const wire::Limits& limits);
#endif

std::unique_ptr<SimdjsonCalls> make_simdjson_calls(const wire::Limits& limits) {
#ifdef __x86_64__
  constexpr wire::Limits kSmall{.frame_size = 4096};  // The reader is only asked for its name.
  const auto reader = wire::make_simdjson_reader(kSmall);
  if (reader->kernel() == "icelake") return make_simdjson_calls_icelake(limits);
  if (reader->kernel() == "haswell") return make_simdjson_calls_haswell(limits);
#endif
  return make_simdjson_calls_baseline(limits);
}

bool simdjson_is_utf8(Bytes text) noexcept {
  return simdjson::validate_utf8(as_text(text).data(), text.size());
}

}  // namespace wiremark::tools
