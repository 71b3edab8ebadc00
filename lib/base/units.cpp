// Times, counts and sizes as users write them.
#include "base/units.h"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace wiremark {

namespace {

struct Quantity {
  double number;
  std::string_view unit;
};

// A decimal number and the letters behind it; NaN where there is no number.
Quantity split_unit(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (status != std::errc{} || !std::isfinite(number) || number < 0) return {std::nan(""), {}};
  return {number, {rest, static_cast<std::size_t>(end - rest)}};
}

std::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return failed("'" + std::string(text) + "' is not " + std::string(what), {}, 0);
}

}  // namespace

Result<Nanoseconds> parse_duration(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  double scale = 0;
  if (unit == "ns") scale = 1;
  if (unit == "us") scale = kMicrosecond;
  if (unit == "ms") scale = kMillisecond;
  if (unit == "s" || unit.empty()) scale = kSecond;
  if (unit == "m") scale = 60.0 * kSecond;
  const double ns = std::round(number * scale);
  if (std::isnan(number) || scale == 0 || ns > 0x1p51) {
    return not_a("a time such as 500us, 10ms, 1.5s or 2m", text);
  }
  return static_cast<Nanoseconds>(ns);
}

Result<double> parse_count(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  double scale = 0;
  if (unit.empty()) scale = 1;
  if (unit == "k" || unit == "K") scale = 1e3;
  if (unit == "M") scale = 1e6;
  if (std::isnan(number) || scale == 0 || number * scale > 0x1p53) {
    return not_a("a number such as 500, 10k or 1.5M", text);
  }
  return number * scale;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  double scale = 0;
  if (unit.empty()) scale = 1;
  if (unit == "k" || unit == "K") scale = 0x1p10;
  if (unit == "M") scale = 0x1p20;
  const double bytes = number * scale;
  if (std::isnan(number) || scale == 0 || bytes > 0x1p32 || bytes != std::floor(bytes)) {
    return not_a("a size in bytes such as 512, 16k or 1M", text);
  }
  return static_cast<std::uint64_t>(bytes);
}

std::string format_duration(Nanoseconds time) {
  constexpr std::pair<Nanoseconds, const char*> kUnits[] = {
      {kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "us"}};
  for (const auto& [scale, unit] : kUnits) {
    if (time < scale) continue;
    std::string number = std::to_string(static_cast<double>(time) / static_cast<double>(scale));
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    return number + unit;
  }
  return std::to_string(time) + "ns";
}

}  // namespace wiremark
