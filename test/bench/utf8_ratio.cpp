// How is_utf8() compares with simdjson::validate_utf8() on 16 KiB of one script: prints each ratio
// with its interval. At most 1.1 is promised.
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecbench/rivals/simdjson_documented.h"
#include "measure/ratio.h"
#include "wire/utf8.h"

namespace {

using namespace wiremark;

constexpr std::size_t kBytes = 16 * 1024;
constexpr int kRounds = 21;
constexpr int kCalls = 500;

constexpr std::pair<const char*, std::string_view> kScripts[] = {
    {"russian", "Поезд стоял в тумане, пока сигнал не стал зелёным. "},
    {"chinese", "火车在雾中等待，直到信号灯变成绿色。"},
    {"thai", "รถไฟจอดรอในหมอกจนกว่าสัญญาณจะเป็นสีเขียว "},
    {"emoji", "🚂🌫🚦🟢👍🏽🇹🇭"},
    {"mixed", "A train, поезд, 火车, รถไฟ, 🚂, naïve. "},
};

/// Whole repeats of `line`, so that the end cuts no sequence.
std::string text_of(std::string_view line) {
  std::string text;
  while (text.size() + line.size() <= kBytes) text += line;
  return text;
}

template <class Check>
double seconds_of(Check check, Bytes text) {
  using Clock = std::chrono::steady_clock;
  bool good = true;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kCalls; ++i) {
    // The text may have changed, for all that the compiler knows.
    asm volatile("" : : "r"(text.data()) : "memory");
    good &= check(text);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return good ? seconds : 0;
}

}  // namespace

int main() {
  for (const auto& [script, line] : kScripts) {
    const std::string text = text_of(line);
    const Bytes bytes = as_bytes(text);
    std::vector<std::pair<double, double>> rounds;
    for (int round = 0; round < kRounds; ++round) {
      const double own = seconds_of(wire::is_utf8, bytes);
      rounds.emplace_back(own, seconds_of(tools::simdjson_is_utf8, bytes));
    }
    // A check that refused its text has no time, and without rounds there is no ratio.
    const auto ratio = measure::paired_ratio(rounds);
    if (!ratio) {
      std::fprintf(stderr, "%s: refused\n", script);
      return 1;
    }
    std::printf("is_utf8 / simdjson, 16 KiB of %-8s <= 1.1x  %.2f  (%.2f to %.2f)\n", script,
                ratio->median, ratio->lower, ratio->upper);
  }
}
