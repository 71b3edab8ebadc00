// Times, counts, sizes and rates as a person reads them.
#include "measure/quantity.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string_view>

namespace wiremark::measure {

namespace {

// The number of decimals that leaves three significant digits, for numbers of 1 and more; the
// bounds lie where rounding carries into the next digit.
int decimals(double number) noexcept {
  if (number < 9.995) return 2;
  return number < 99.95 ? 1 : 0;
}

std::string scaled(double number, std::string_view unit) {
  return fmt::format("{:.{}f} {}", number, decimals(number), unit);
}

}  // namespace

std::string format_time(Nanoseconds time) {
  if (time < 1'000) return fmt::format("{} ns", time);
  return format_time(static_cast<double>(time));
}

std::string format_time(double ns) {
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return scaled(ns / 1e3, "us");
  if (ns < 999.5e6) return scaled(ns / 1e6, "ms");
  if (ns < 59.95e9) return scaled(ns / 1e9, "s");
  const auto seconds = static_cast<std::uint64_t>(std::llround(ns / 1e9));
  if (seconds < 3'600) {
    if (seconds % 60 == 0) return fmt::format("{} min", seconds / 60);
    return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  }
  const std::uint64_t minutes = (seconds + 30) / 60;
  if (minutes % 60 == 0) return fmt::format("{} h", minutes / 60);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string format_count(std::uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string format_counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_rate(double per_second) {
  if (per_second < 999.5) {
    if (per_second == std::floor(per_second)) return fmt::format("{:.0f}", per_second);
    return format_number(per_second);
  }
  if (per_second < 999.5e3) return scaled(per_second / 1e3, "k");
  if (per_second < 999.5e6) return scaled(per_second / 1e6, "M");
  return scaled(per_second / 1e9, "G");
}

std::string format_size(double bytes) {
  if (bytes < 1'023.5) return fmt::format("{:.0f} B", bytes);
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double number = bytes / 1024;
  for (; number >= 1'023.5 && unit + 1 < kUnits.size(); ++unit) number /= 1024;
  return scaled(number, kUnits[unit]);
}

std::string format_share(double percent) {
  if (percent == 0) return "0 %";
  if (percent < 0.005) return "< 0.01 %";
  if (percent < 9.95) return fmt::format("{:.2f} %", percent);
  return fmt::format("{:.{}f} %", percent, percent < 99.95 ? 1 : 0);
}

std::string format_number(double number) {
  if (number == 0) return "0";
  const double size = std::fabs(number);
  if (size >= 1) return fmt::format("{:.{}f}", number, decimals(size));
  // Below 1 the leading zeros behind the point are no significant digits.
  const int leading_zeros = static_cast<int>(-std::floor(std::log10(size))) - 1;
  return fmt::format("{:.{}f}", number, leading_zeros < 6 ? leading_zeros + 3 : 9);
}

}  // namespace wiremark::measure
