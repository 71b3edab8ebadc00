// What netprobe found, as text of 80 columns and as a JSON document.
#include "probe/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/printable.h"

namespace wiremark::probe {

namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kWhatColumns = 28;
constexpr std::size_t kAnswerColumns = 11;

// Printable words on lines of `columns`, each behind `indent` blanks but the first. A word that is
// longer than a line, such as a path, is broken.
std::string wrap(std::string_view words, std::size_t columns, std::size_t indent) {
  const std::string shown = printable(words);
  std::string_view text = shown;
  std::string lines;
  while (text.size() > columns) {
    std::size_t end = text.rfind(' ', columns);
    const bool blank = end != std::string_view::npos && end > 0;
    if (!blank) end = columns;
    lines += std::string(text.substr(0, end)) + '\n' + std::string(indent, ' ');
    text.remove_prefix(blank ? end + 1 : end);
  }
  return lines + std::string(text) + '\n';
}

std::string lines_of(const Finding& finding) {
  constexpr std::size_t kIndent = 2 + kWhatColumns + kAnswerColumns;
  std::string line = fmt::format("  {:<{}}{:<{}}", finding.what, kWhatColumns,
                                 to_string(finding.answer), kAnswerColumns);
  line += wrap(finding.evidence, kColumns - kIndent, kIndent);
  if (!finding.change.empty()) {
    constexpr std::size_t kArrow = 4 + 3;
    line += "    -> " + wrap(finding.change, kColumns - kArrow, kArrow);
  }
  return line;
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string text_of(const Report& report) {
  std::string text = wrap("netprobe: " + report.machine, kColumns - 2, 2);
  std::string group;
  for (const Finding& finding : report.findings) {
    if (finding.group != group) {
      group = finding.group;
      text +=
          '\n' + (group == kCommandGroup ? wrap(report.command, kColumns - 2, 2) : group + '\n');
    }
    text += lines_of(finding);
  }
  const auto any = [&report](Answer answer) {
    return std::ranges::any_of(report.findings,
                               [answer](const Finding& one) { return one.answer == answer; });
  };
  text += '\n';
  if (any(Answer::no_effect))
    text += "no effect: the kernel accepts it, and it does nothing here\n";
  text += "-> changes it\n";
  return text;
}

std::string json_of(const Report& report) {
  std::string text = fmt::format(
      "{{\n  \"schema\": \"wiremark.probe/1\",\n  \"version\": {},\n  \"machine\": {},\n",
      quote(report.version), quote(report.machine));
  if (!report.command.empty()) {
    text += fmt::format("  \"command\": {},\n  \"can_run\": {},\n", quote(report.command),
                        report.obstacle.empty());
    if (!report.obstacle.empty())
      text += fmt::format("  \"obstacle\": {},\n", quote(report.obstacle));
  }
  text += "  \"findings\": [";
  const char* separator = "\n";
  for (const Finding& one : report.findings) {
    text += fmt::format(
        "{}    {{\"group\": {}, \"what\": {}, \"answer\": {}, \"evidence\": {}, \"change\": {}}}",
        separator, quote(one.group), quote(one.what), quote(to_string(one.answer)),
        quote(one.evidence), quote(one.change));
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace wiremark::probe
