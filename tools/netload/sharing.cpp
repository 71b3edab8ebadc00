// What to do where one generator cannot keep its plan.
#include "netload/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "measure/quantity.h"

namespace wiremark::tools {

namespace {

// At this share of what a generator can send at most it is well below its limit.
constexpr double kComfortable = 0.7;

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

// Options of which each share has its own: their values stand behind them, or behind a "=".
constexpr std::string_view kOfShare[] = {"--share", "--start-at", "--csv", "--hdr-log", "--hgrm"};
// These have a value behind a "=" alone, or none.
constexpr std::string_view kOutputs[] = {"--json", "--json-lines", "--html"};

bool is_one_of(std::span<const std::string_view> options, std::string_view argument) {
  return std::ranges::find(options, argument.substr(0, argument.find('='))) != options.end();
}

}  // namespace

std::vector<std::string> what_shares_have_in_common(const std::vector<std::string>& arguments) {
  std::vector<std::string> common;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_one_of(kOfShare, arguments[i])) {
      i += arguments[i].contains('=') ? 0 : 1;
    } else if (!is_one_of(kOutputs, arguments[i])) {
      common.push_back(arguments[i]);
    }
  }
  return common;
}

std::string how_to_share(const FullGenerator& full) {
  const double needed = std::ceil(full.wanted_hz / (kComfortable * full.sent_hz));
  const auto parts = static_cast<std::uint64_t>(std::max(needed, 2. * full.share.of));
  if (full.is_rank) {
    return fmt::format(
        "one generator is full: {} ranks could keep this plan, each with processors "
        "of its own",
        parts);
  }
  std::string text = fmt::format(
      "one generator is full: {} could keep this plan, each with processors of its own", parts);
  if (parts > full.connections) {
    return text + fmt::format(", and a connection is of one of them: it takes {} or more (-c)",
                              measure::format_counted(parts, "connection"));
  }
  text += parts * full.threads > full.cores
              ? fmt::format(", on other machines (this one has {})", full.cores)
              : std::string(", on this machine or others");
  std::string command;
  for (const std::string& argument : what_shares_have_in_common(full.arguments))
    command += (command.empty() ? "" : " ") + quoted(argument);
  if (!full.has_target) command += " TARGET";
  return text + fmt::format(
                    "; start {1} --share 0/{0} --start-at UNIXTIME --json=0.json, the same "
                    "with 1/{0} and so on, and netreport --expect {0} *.json adds them up",
                    parts, command);
}

}  // namespace wiremark::tools
