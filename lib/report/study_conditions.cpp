// What stands below the table of a study as text: where it ran, and what speaks against its runs.
#include "report/study_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "measure/quantity.h"
#include "report/round_figures.h"
#include "report/text.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string kinds_text(const std::vector<std::string>& sentences, std::string_view label,
                       std::string_view runs) {
  std::string text;
  for (const auto& [first, count] : kinds_of(sentences))
    text += line_text(label, fmt::format("{} of {}: {}", count, runs, first));
  return text;
}

std::string doubts_text(const Parts& parts) {
  std::string text;
  std::vector<std::string> notes;
  std::size_t runs = 0;
  for (const auto& [name, rounds] : parts) {
    std::vector<std::string> broken;
    std::vector<std::string> reasons;
    std::vector<std::string> doubts;
    runs += rounds.size();
    for (const RunResult& round : rounds) {
      for (const Check& check : round.checks) {
        if (!check.passed) broken.push_back(fmt::format("{}: {}", check.name, check.detail));
      }
      if (round.verdict) {
        const bool partly = round.verdict->level() == "VALID FOR";
        for (const std::string& reason : round.verdict->reasons)
          (partly ? doubts : reasons).push_back(doubt_text(*round.verdict, reason));
      }
      notes.insert(notes.end(), round.notes().begin(), round.notes().end());
    }
    const std::string of = fmt::format("{} of {}", format_counted(rounds.size(), "round"), name);
    text += kinds_text(broken, "FAILED", of) + kinds_text(reasons, "INVALID", of) +
            kinds_text(doubts, "doubt", of);
  }
  return text + kinds_text(notes, "warning", format_counted(runs, "run"));
}

// "62 to 401 ns apart", over all the rounds that count; empty where unknown.
std::string distance_text(const Parts& parts) {
  Nanoseconds near = kNever, far = 0;
  for (const Part& part : parts) {
    const auto [nearest, farthest] = distances_of(part.rounds);
    if (nearest > 0) near = std::min(near, nearest);
    far = std::max(far, farthest);
  }
  if (far == 0) return {};
  if (near == far) return fmt::format(", {} ns apart", far);
  return fmt::format(", {} to {} ns apart", near, far);
}

}  // namespace

std::vector<std::pair<std::string, std::size_t>> kinds_of(
    const std::vector<std::string>& sentences) {
  std::map<std::string, std::pair<std::string, std::size_t>> kinds;
  for (const std::string& sentence : sentences) {
    std::string name = sentence;
    std::erase_if(name, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; });
    ++kinds.try_emplace(name, sentence, 0).first->second.second;
  }
  std::vector<std::pair<std::string, std::size_t>> all;
  for (auto& [name, kind] : kinds) all.push_back(std::move(kind));
  return all;
}

std::string conditions_text(const Setting& setting, const Parts& parts, std::uint64_t left_out,
                            const std::optional<FailedRound>& failed) {
  const RunResult& any = parts.front().rounds.front();
  std::string text = "\n" + line_text("client", path_text(any.path));
  text += line_text("processors", setting.processors.value_or("not told") + distance_text(parts));
  if (left_out > 0) {
    text +=
        line_text("left out", format_counted(left_out, "round") +
                                  " before or in which the processors came nearer or went apart");
  }
  text += line_text("machine", describe(any.host));
  text += line_text("not shown",
                    "what a network card or a second machine would change: all is on this one. "
                    "Rates move with the machine's neighbours; compare CPU per message.");
  text += doubts_text(parts);
  return failed ? text + line_text("FAILED", in_words(*failed)) : text;
}

}  // namespace wiremark::report
