// What a netload command needs, and whether this machine has it.
#include "probe/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/cpus.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/units.h"
#include "measure/machine.h"
#include "measure/quantity.h"

namespace wiremark::probe {

namespace {

using measure::format_count;
using measure::format_size;

// An idle TCP socket takes 3.9 KB of kernel memory (measured on Linux 6.18), and ours below 128.
constexpr std::uint64_t kSocketBytes = 4096;

// The words of a command line, of which quotes keep some together.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
      open = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

// Every other option of netload takes a value, or has it behind '='.
bool takes_value(std::string_view flag) {
  constexpr std::array<std::string_view, 20> kFlags = {
      "--find-max",  "--bypass", "--reconnect", "--strict",     "--verify",
      "--no-verify", "--json",   "--html",      "--json-lines", "--quiet",
      "--realtime",  "--ipv4",   "--ipv6",      "-q",           "--help",
      "-h",          "-V",       "--version",   "-4",           "-6"};
  return std::ranges::find(kFlags, flag) == kFlags.end();
}

struct Reader {
  Command command;
  std::optional<Error> wrong;
  double rate_each = 0;

  double number(std::string_view flag, const std::string& value) {
    const auto count = parse_count(value);
    if (!count && !wrong)
      wrong = failed(std::string(flag) + " " + value + ": not a number", {}, 0).error();
    return count.value_or(0);
  }

  void take(std::string_view flag, const std::string& value) {
    if (flag == "-c" || flag == "--connections")
      command.connections = static_cast<std::uint64_t>(number(flag, value));
    if (flag == "-t" || flag == "--threads")
      command.threads = static_cast<std::uint64_t>(number(flag, value));
    if (flag == "-R" || flag == "--total-rate") command.rate_hz = number(flag, value);
    if (flag == "-r" || flag == "--rate") rate_each = number(flag, value);
    if (flag == "--source-ip") command.sources = split_list(value).size();
    if (flag == "-b" || flag == "--backend" || flag == "--compare") {
      command.backends.clear();
      for (const std::string_view item : split_list(value)) command.backends.emplace_back(item);
    }
  }
};

Finding judge(const char* what, bool enough, std::string evidence, std::string change) {
  return {kCommandGroup, what, enough ? Answer::yes : Answer::no, std::move(evidence),
          enough ? "" : std::move(change)};
}

Finding judge_ports(const Command& command, const Limits& limits) {
  constexpr const char* kWhat = "enough ports";
  if (command.is_unix()) return judge(kWhat, true, "a Unix socket takes none", "");
  if (command.is_local() && command.sources == 0) {
    return judge(kWhat, true, "netload takes as many addresses of 127.0.0.0/8 as it needs", "");
  }
  const std::uint64_t sources = std::max<std::uint64_t>(command.sources, 1);
  const std::uint64_t needed =
      limits.ports > 0 ? (command.connections + limits.ports - 1) / limits.ports : 1;
  return judge(
      kWhat, limits.ports == 0 || command.connections <= sources * limits.ports,
      fmt::format("{} between {} and one destination, {} needed",
                  format_count(sources * limits.ports), measure::format_counted(sources, "source"),
                  format_count(command.connections)),
      fmt::format("--source-ip with {} addresses, or sysctl -w "
                  "net.ipv4.ip_local_port_range='1024 65535'",
                  needed));
}

// netload has half of what a message takes at both ends.
Finding judge_rate(const Command& command, const Limits& limits) {
  const double each_ns = kSecond * static_cast<double>(command.threads) / command.rate_hz;
  const double cost_ns = static_cast<double>(limits.message_ns) / 2;
  return judge("time for each message", cost_ns <= each_ns,
               fmt::format("{} for each thread of netload; over loopback it takes {} or more",
                           measure::format_time(each_ns), measure::format_time(cost_ns)),
               "netload -t with more threads, or a lower -R");
}

// Of a row that names no backend, such as a target, the client runs on either. AF_XDP is tried by a
// run that asks for it.
bool can_run(const std::string& row, const Backends& can) {
  if (row.starts_with("epoll")) return can.epoll;
  if (row.starts_with("uring")) return can.uring;
  return can.epoll || can.uring || row.starts_with("xdp");
}

Finding judge_backend(const Command& command, const Backends& can, std::string& obstacle) {
  const auto runs = [&can](const std::string& row) { return can_run(row, can); };
  const char* there = can.epoll && can.uring ? "epoll and io_uring can run"
                      : can.epoll            ? "only epoll can run"
                      : can.uring            ? "only io_uring can run"
                                             : "neither epoll nor io_uring can run";
  if (std::ranges::none_of(command.backends, runs))
    obstacle = std::string(there) + (can.epoll || can.uring ? ", and another is asked" : "");
  return judge("backends", std::ranges::all_of(command.backends, runs), there,
               can.epoll ? "see io_uring in what netprobe says, or --backend epoll" : "Linux 5.11");
}

}  // namespace

bool Command::is_local() const {
  return target.empty() || target.starts_with(":") || is_unix() ||
         target.find("127.") != std::string::npos ||
         target.find("localhost") != std::string::npos || target.find("[::1]") != std::string::npos;
}

Result<Command> Command::parse(std::string_view text) {
  const std::vector<std::string> words = split_words(text);
  if (words.empty() || words[0].substr(words[0].rfind('/') + 1) != "netload")
    return failed("--for takes a command of netload, such as 'netload -c 50000'", {}, 0);
  Reader reader;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (!word.starts_with('-')) {
      reader.command.target = word;
    } else if (word.starts_with("--") && equals != std::string::npos) {
      reader.take(word.substr(0, equals), word.substr(equals + 1));
    } else if (!word.starts_with("--") && word.size() > 2) {
      reader.take(word.substr(0, 2), word.substr(2));
    } else if (takes_value(word)) {
      if (++i == words.size()) return failed(word + " lacks its value", {}, 0);
      reader.take(word, words[i]);
    }
  }
  if (reader.wrong) return std::unexpected(*reader.wrong);
  if (reader.command.threads == 0 || reader.command.connections == 0)
    return failed("netload takes a thread and a connection at least", {}, 0);
  if (reader.rate_each > 0)
    reader.command.rate_hz = reader.rate_each * static_cast<double>(reader.command.connections);
  return reader.command;
}

Forecast forecast(const Command& command, const Limits& limits, const Backends& can) {
  Forecast all;
  const std::uint64_t files = command.connections + own_descriptors(command.threads);
  const bool enough_files = files <= limits.descriptors;
  if (!enough_files)
    all.obstacle = fmt::format("{} open files are needed and {} allowed", format_count(files),
                               format_count(limits.descriptors));
  const std::uint64_t memory = command.connections * kSocketBytes * (command.is_local() ? 2 : 1);
  const bool enough_memory = limits.memory_bytes == 0 || memory <= limits.memory_bytes;
  if (!enough_memory)
    all.obstacle = fmt::format("{} of memory are needed and {} available",
                               format_size(static_cast<double>(memory)),
                               format_size(static_cast<double>(limits.memory_bytes)));
  if (command.threads > threads_max(limits.cores))
    all.obstacle = fmt::format("{} threads are too many for {}", format_count(command.threads),
                               measure::format_counted(limits.cores, "processor"));
  const std::uint64_t cores = command.threads + (command.target.empty() ? 1 : 0);
  all.findings = {
      judge_backend(command, can, all.obstacle),
      judge(
          "enough open files", enough_files,
          fmt::format("{} needed by each end, hard limit {}", format_count(files),
                      limits.descriptors == measure::kUnlimited ? "none"
                                                                : format_count(limits.descriptors)),
          fmt::format("ulimit -Hn {} as root, or LimitNOFILE= of the service", files)),
      judge_ports(command, limits),
      judge("backlog for a burst", limits.backlog == 0 || command.connections <= limits.backlog,
            fmt::format("{} connects at once, {} wait at most; more are tried again after 1 s",
                        format_count(command.connections), format_count(limits.backlog)),
            fmt::format("sysctl -w net.core.somaxconn={0} net.ipv4.tcp_max_syn_backlog={0}, or "
                        "netload --connect-rate",
                        command.connections)),
      judge(
          "enough memory", enough_memory,
          fmt::format("{} for the sockets, {} available", format_size(static_cast<double>(memory)),
                      format_size(static_cast<double>(limits.memory_bytes))),
          "fewer connections, or a larger memory.max"),
      judge("a core for each thread", cores <= limits.cores,
            fmt::format("{} busy at once{}, {} allowed", measure::format_counted(cores, "thread"),
                        command.target.empty() ? " with the server's" : "", limits.cores),
            "netload -t with fewer threads, or more processors"),
  };
  if (command.rate_hz > 0 && limits.message_ns > 0)
    all.findings.push_back(judge_rate(command, limits));
  return all;
}

Forecast forecast(const Command& command) {
  const auto holds = [](const Findings& findings, std::string_view what) {
    return std::ranges::any_of(findings, [what](const Finding& finding) {
      return finding.what == what && finding.answer == Answer::yes;
    });
  };
  const Backends can{.epoll = holds(probe_epoll(), kReactorEpoll),
                     .uring = holds(probe_uring(), kReactorRing)};
  return forecast(command, find_limits(), can);
}

}  // namespace wiremark::probe
