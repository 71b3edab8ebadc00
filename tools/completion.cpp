// Completion scripts, made from a tool's own list of options.
#include "completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

namespace wiremark::tools {

namespace {

struct Named {
  std::string long_name;   // Without dashes.
  std::string short_name;  // The same; empty when there is none.
  std::string help;        // Its first sentence, with no quote in it.
  bool takes_value = false;
};

std::vector<Named> named_options(const CLI::App& app) {
  std::vector<Named> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    Named named;
    if (!option->get_snames().empty()) named.short_name = option->get_snames().front();
    for (const char c : option->get_description()) {
      if (c != '\'' && c != '"' && c != '[' && c != ']' && c != ':') named.help += c;
    }
    named.takes_value = option->get_items_expected_min() > 0;
    for (const std::string& long_name : option->get_lnames()) {
      named.long_name = long_name;
      options.push_back(named);
      named.short_name.clear();  // Offered once, with the first of the long names.
    }
  }
  return options;
}

std::string bash(const std::string& tool, const std::vector<Named>& options) {
  std::string words;
  for (const Named& option : options) {
    words += " --" + option.long_name;
    if (!option.short_name.empty()) words += " -" + option.short_name;
  }
  return fmt::format(
      "_{0}() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\"\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W '{1}' -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -F _{0} {0}\n",
      tool, words.substr(words.empty() ? 0 : 1));
}

std::string zsh(const std::string& tool, const std::vector<Named>& options) {
  std::string lines;
  for (const Named& option : options) {
    for (const auto& [dashes, name] :
         {std::pair{"--", option.long_name}, {"-", option.short_name}}) {
      if (name.empty()) continue;
      lines += fmt::format("  '{}{}[{}]{}' \\\n", dashes, name, option.help,
                           option.takes_value ? ":value:_files" : "");
    }
  }
  return fmt::format("#compdef {0}\n_arguments -s \\\n{1}  '*:argument:_files'\n", tool, lines);
}

std::string fish(const std::string& tool, const std::vector<Named>& options) {
  std::string lines;
  for (const Named& option : options) {
    lines += fmt::format("complete -c {}", tool);
    if (!option.short_name.empty()) lines += " -s " + option.short_name;
    lines += " -l " + option.long_name;
    if (option.takes_value) lines += " -r";
    lines += fmt::format(" -d '{}'\n", option.help);
  }
  return lines;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const auto options = named_options(app);
  if (shell == "bash") return bash(app.get_name(), options);
  if (shell == "zsh") return zsh(app.get_name(), options);
  return fish(app.get_name(), options);
}

}  // namespace wiremark::tools
