// How a command line is read, and what it prints itself: help, version, completion.
#include "command_line.h"

#include <fmt/format.h>
#ifdef WIREMARK_STATIC
#include <nss.h>
#endif
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>

#include "completion.h"
#include "measure/build_info.h"
#include "printing.h"
#include "suggestion.h"

namespace wiremark::tools {

namespace {

constexpr std::size_t kHelpColumns = 80;
constexpr std::size_t kHelpIndent = 28;

// CLI11 breaks no lines before 2.5.
class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_desc(option);
    for (std::size_t begin = 0; text.size() - begin > kHelpColumns - kHelpIndent;) {
      const std::size_t space = text.rfind(' ', begin + kHelpColumns - kHelpIndent);
      if (space == std::string::npos || space <= begin) break;
      text[space] = '\n';
      begin = space + 1;
    }
    return text;
  }
};

// CLI11 2.4 pads the name of an option whose description begins on the next line.
std::string without_trailing_spaces(const std::string& text) {
  std::string clean;
  for (const char c : text) {
    if (c == '\n') clean.erase(clean.find_last_not_of(' ') + 1);
    clean += c;
  }
  return clean;
}

// As CLI11 wants them, the last one first. A bare --json or --html must not take the next argument
// for its file.
std::vector<std::string> reversed_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed;
  for (std::size_t i = arguments.size(); i-- > 1;) {
    const std::string& argument = arguments[i];
    const bool bare = argument == "--json" || argument == "--html";
    reversed.push_back(bare ? argument + "=-" : argument);
  }
  return reversed;
}

// How many of the arguments want standard output for themselves.
std::ptrdiff_t outputs_of(const std::vector<std::string>& arguments) {
  return std::ranges::count_if(arguments, [](const std::string& argument) {
    return argument == "--json=-" || argument == "--html=-" || argument == "--json-lines";
  });
}

// Names an unknown option before any other error: CLI11 would take its value for an operand and
// complain of that.
std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
  for (const std::string& left : app.remaining()) {
    if (!left.starts_with("--") || left.size() == 2) continue;
    const std::string typed = left.substr(2, left.find('=') - 2);
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
      names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    const std::string meant = suggestion(typed, names);
    return "there is no option --" + typed +
           (meant.empty() ? "" : "; did you mean --" + meant + "?");
  }
  return error.what();
}

// A file that the command line names.
struct NamedFile {
  std::string name;  // With its flag, such as "--json one.json".
  FileIdentity identity;
  bool appended = false;  // If it is written.
};

void add_file(std::vector<NamedFile>& files, const CLI::Option* option, const std::string& file) {
  const auto identity = identity_of(file);
  if (!identity) return;
  const std::string flag = option->get_positional() ? std::string() : option->get_name() + " ";
  files.push_back({flag + file, *identity, leads_to_open_file(file)});
}

// "netload 0.1.0 (g++ 12.2.0, liburing 2.3, Linux 6.1.0)", the flags of the compiler on a second
// line, and on lines of their own what makes this build slower than a release.
std::string version_text(const std::string& tool) {
  utsname system{};
  ::uname(&system);
  const measure::BuildInfo build = measure::build_info();
  std::string text = fmt::format("{} {} ({}, liburing {}, {} {})\nbuilt with {}\n", tool,
                                 WIREMARK_VERSION, build.compiler, WIREMARK_LIBURING_VERSION,
                                 system.sysname, system.release, measure::build_flags(build));
  for (const std::string& reason : measure::slowed_by(build))
    text += "slower than a release: " + reason + "\n";
  return text;
}

}  // namespace

Option Option::check(std::function<Result<>(const std::string&)> form) const {
  const auto wrong = [form = std::move(form)](std::string& text) {
    const auto right = form(text);
    return right ? std::string() : right.error().message();
  };
  option_->check(CLI::Validator(wrong, ""));
  return *this;
}

Option Option::needs(Option other) const { return Option(option_->needs(other.option_)); }

Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }

Option Option::join() const {
  return Option(option_->multi_option_policy(CLI::MultiOptionPolicy::Join)->delimiter(','));
}

CommandLine::CommandLine(std::string name, std::string about, std::string examples)
    : app_(std::make_unique<CLI::App>(std::move(about), name)), name_(std::move(name)) {
  app_->footer(
      std::move(examples) +
      "\nTIME takes us, ms, s or m; N takes k and M; SIZE and BYTES take k and M of 1024.");
  app_->option_defaults()->always_capture_default();
  app_->formatter(std::make_shared<WrappedHelp>());
  app_->get_formatter()->column_width(kHelpIndent);
  app_->set_help_flag("-h,--help", "Print this help and exit");
  add_flag("-V,--version", version_, "Print version, compiler and its flags, liburing and kernel");
  add_choice("--completion", completion_, "SHELL", {"bash", "zsh", "fish"},
             "Print a completion script for bash, zsh or fish, and exit");
#ifdef WIREMARK_STATIC
  // These are within glibc. Others are modules, and one of another glibc than ours can crash us.
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
#endif
}

CommandLine::~CommandLine() = default;

Option CommandLine::add_read(const std::string& flags, Reading read, const std::string& type,
                             const std::string& help) {
  const auto read_or_throw = [read = std::move(read),
                              name = flags.substr(flags.find("--"))](const std::string& text) {
    if (const auto done = read(text); !done)
      throw CLI::ValidationError(name, done.error().message());
  };
  return Option(
      app_->add_option_function<std::string>(flags, read_or_throw, help)->type_name(type));
}

Option CommandLine::add_flag(const std::string& flags, bool& into, const std::string& help) {
  return Option(app_->add_flag(flags, into, help));
}

Option CommandLine::add_default_flag(const std::string& flags, const std::string& help) {
  return Option(app_->add_flag(flags, help));
}

Option CommandLine::add_text(const std::string& flags, std::string& into, const std::string& type,
                             const std::string& help) {
  return Option(app_->add_option(flags, into, help)->type_name(type));
}

Option CommandLine::add_texts(const std::string& flags, std::vector<std::string>& into,
                              const std::string& type, const std::string& help) {
  return Option(app_->add_option(flags, into, help)->allow_extra_args(false)->type_name(type));
}

Option CommandLine::add_input_file(const std::string& flags, std::string& into,
                                   const std::string& help) {
  const Option option(app_->add_option(flags, into, help)
                          ->check(CLI::Validator(CLI::ExistingFile).description(""))
                          ->type_name("FILE"));
  reads(option);
  return option;
}

Option CommandLine::add_output_file(const std::string& flags, std::string& into,
                                    const std::string& help, Links links) {
  const Option option = add_text(flags, into, "FILE", help).check([links](const std::string& file) {
    return require_writable(file, links);
  });
  outputs_.push_back(option.option_);
  return option;
}

Option CommandLine::add_output(const std::string& flags, std::string& into,
                               const std::string& help) {
  const Option option = add_text(flags, into, "[=FILE]", help).check([](const std::string& file) {
    return file == kStandardOutput ? Result<>() : require_writable(file);
  });
  outputs_.push_back(option.option_);
  return option;
}

Option CommandLine::add_choice(const std::string& flags, std::string& into, const std::string& type,
                               std::vector<std::string> words, const std::string& help) {
  return Option(
      app_->add_option(flags, into, help)->check(CLI::IsMember(std::move(words)))->type_name(type));
}

Option CommandLine::add_words(const std::string& flags, std::vector<std::string>& into,
                              std::vector<std::string> words, const std::string& help) {
  return Option(app_->add_option(flags, into, help)
                    ->delimiter(',')
                    ->allow_extra_args(false)
                    ->check(CLI::IsMember(std::move(words)).description(""))
                    ->type_name("LIST"));
}

Option CommandLine::add_operand(const std::string& name, std::string& into,
                                const std::string& help) {
  return Option(app_->add_option(name, into, help));
}

Option CommandLine::add_operands(const std::string& name, std::vector<std::string>& into,
                                 const std::string& help) {
  return Option(app_->add_option(name, into, help));
}

void CommandLine::reads(Option option) { inputs_.push_back(option.option_); }

void CommandLine::reads_behind_at(Option option) { inputs_behind_at_.push_back(option.option_); }

// No output takes the place of what is read, of another output or of the text on standard output.
Result<> CommandLine::require_files_apart() const {
  std::vector<NamedFile> inputs, outputs;
  for (const CLI::Option* option : inputs_) {
    for (const std::string& file : option->results()) add_file(inputs, option, file);
  }
  for (const CLI::Option* option : inputs_behind_at_) {
    for (const std::string& text : option->results())
      if (text.starts_with('@')) add_file(inputs, option, text.substr(1));
  }
  if (const auto shown = identity_of(STDOUT_FILENO)) outputs.push_back({"standard output", *shown});
  for (const CLI::Option* option : outputs_) {
    for (const std::string& file : option->results())
      if (file != kStandardOutput) add_file(outputs, option, file);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, identity, appended] = outputs[i];
    const auto read = std::ranges::find(inputs, identity, &NamedFile::identity);
    if (read != inputs.end())
      return failed(
          fmt::format("{} is the file that is read as {} (name another)", name, read->name), {}, 0);
    const auto end = outputs.begin() + static_cast<std::ptrdiff_t>(i);
    const auto other = std::find_if(outputs.begin(), end, [&](const NamedFile& one) {
      return one.identity == identity && !appended && !one.appended;
    });
    if (other != end)
      return failed(fmt::format("{} and {} are one file (name two)", other->name, name), {}, 0);
  }
  return {};
}

Option CommandLine::option(const std::string& flag) const { return Option(app_->get_option(flag)); }

bool CommandLine::given(const std::string& flag) const { return app_->count(flag) > 0; }

void CommandLine::check(std::function<Result<>()> consistent) {
  app_->final_callback([consistent = std::move(consistent)] {
    if (const auto done = consistent(); !done) throw CLI::ValidationError(done.error().message());
  });
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  hold_standard_streams();
  end_without_memory(name_);
  arguments_.assign(argv, argv + argc);
  std::vector<std::string> reversed = reversed_of(arguments_);
  const auto outputs = outputs_of(reversed);
  try {
    app_->parse(reversed);
    if (outputs > 1) {
      throw CLI::ValidationError(
          "one of --json, --json-lines and --html can go to standard output (--html=FILE writes a "
          "file)");
    }
    if (const auto apart = require_files_apart(); !apart)
      throw CLI::ValidationError(apart.error().message());
  } catch (const CLI::CallForHelp&) {
    write_out(without_trailing_spaces(app_->help()));
    return ending(name_, kDone);
  } catch (const CLI::ParseError& error) {
    print_err("{}: {}\nTry '{} --help'.\n", name_, message_of(*app_, error), name_);
    return kUsage;
  }
  if (version_) {
    write_out(version_text(name_));
    return ending(name_, kDone);
  }
  if (!completion_.empty()) {
    write_out(completion_script(*app_, completion_));
    return ending(name_, kDone);
  }
  return std::nullopt;
}

}  // namespace wiremark::tools
