// What to do where one generator cannot keep its plan.
#include "netload/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

namespace wiremark::tools {

namespace {

// At this share of what a generator can send at most it is well below its limit.
constexpr double kComfortable = 0.7;
constexpr double kFactorMax = 64;

// As a shell reads it back.
std::string quoted(const std::string& argument) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_@%+=:,./-").contains(static_cast<char>(c));
  };
  if (!argument.empty() && std::ranges::all_of(argument, is_plain)) return argument;
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Whether a share has this option with a value of its own: `value` says that it stands behind it.
bool is_of_share(const std::string& argument, bool& value) {
  value = argument == "--share" || argument == "--start-at";
  return value ||
         std::ranges::any_of(std::initializer_list<const char*>{"--share=", "--start-at=", "--json",
                                                                "--csv", "--html"},
                             [&](const char* option) { return argument.starts_with(option); });
}

}  // namespace

std::string how_to_share(const FullGenerator& full) {
  const double factor = full.reached_hz > 0
                            ? std::ceil(full.wanted_hz / (kComfortable * full.reached_hz))
                            : kFactorMax;
  const auto parts = full.share.of * static_cast<unsigned>(std::clamp(factor, 2., kFactorMax));
  std::string command;
  for (std::size_t i = 0; i < full.arguments.size(); ++i) {
    bool value = false;
    if (is_of_share(full.arguments[i], value)) {
      i += value ? 1 : 0;
      continue;
    }
    command += (command.empty() ? "" : " ") + quoted(full.arguments[i]);
  }
  if (!full.has_target) command += " TARGET";
  return fmt::format(
      "one generator is full, and {0} could keep this plan, each with processors of its own, on "
      "this "
      "machine or others: start {1} --share 0/{0} --start-at UNIXTIME --json=0.json, the same with "
      "1/{0} and so on, and netreport --expect {0} *.json adds them up",
      parts, command);
}

}  // namespace wiremark::tools
