// Which figures of a run can be trusted, and why not the others.
#include "report/verdict.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wiremark::report {

namespace {

Judgement with_bounds(Judgement judgement, const RunResult& result) {
  std::ranges::move(judge_bounds(result).doubts, std::back_inserter(judgement.doubts));
  return judgement;
}

// Without those that are there.
void add_new(std::vector<std::string>& texts, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
}

}  // namespace

Verdict verdict_of(const Judgement& judgement) {
  Verdict verdict;
  std::vector<FigureVerdict>& figures = verdict.figures.emplace();
  for (const std::string& name : judgement.figures) figures.push_back({name, {}});
  for (const Doubt& doubt : judgement.doubts) {
    verdict.reasons.push_back(doubt.reason);
    for (FigureVerdict& figure : figures) {
      if (std::ranges::find(doubt.figures, figure.name) != doubt.figures.end())
        figure.reasons.push_back(doubt.reason);
    }
  }
  return verdict;
}

void pass_verdict(RunResult& result) { pass_verdict(result, judge(result)); }

void pass_verdict(RunResult& result, Judgement judgement) {
  judgement = with_bounds(std::move(judgement), result);
  Verdict verdict = verdict_of(judgement);
  std::vector<std::string>& warnings = result.warnings;
  warnings.insert(warnings.begin(), verdict.reasons.begin(), verdict.reasons.end());
  warnings.insert(warnings.end(), judgement.notes.begin(), judgement.notes.end());
  if (result.role == Role::generator) result.verdict = std::move(verdict);
}

void judge_again(RunResult& result) {
  if (result.role != Role::generator) return;
  Judgement judgement = with_bounds(judge(result), result);
  const Verdict said = result.verdict.value_or(verdict_of({judgement.figures, {}, {}}));
  std::erase_if(judgement.doubts, [&](const Doubt& doubt) {
    return std::ranges::none_of(doubt.figures, [&](const std::string& figure) {
      return said.reasons_against(figure).empty();
    });
  });
  Verdict& verdict = result.verdict.emplace(said);
  if (judgement.doubts.empty()) return;
  const Verdict more = verdict_of(judgement);
  add_new(verdict.reasons, more.reasons);
  verdict.figures.emplace();
  for (const FigureVerdict& figure : *more.figures) {
    verdict.figures->push_back({figure.name, said.reasons_against(figure.name)});
    add_new(verdict.figures->back().reasons, figure.reasons);
  }
  // The reasons stand first, each once, whatever the warnings were.
  const std::vector<std::string> before = std::exchange(result.warnings, verdict.reasons);
  add_new(result.warnings, before);
}

}  // namespace wiremark::report
