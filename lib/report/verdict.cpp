// Which figures of a run can be trusted, and why not the others.
#include "report/verdict.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wiremark::report {

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
  std::ranges::move(judge_bounds(result).doubts, std::back_inserter(judgement.doubts));
  Verdict verdict = verdict_of(judgement);
  std::vector<std::string>& warnings = result.warnings;
  warnings.insert(warnings.begin(), verdict.reasons.begin(), verdict.reasons.end());
  warnings.insert(warnings.end(), judgement.notes.begin(), judgement.notes.end());
  if (result.role == Role::generator) result.verdict = std::move(verdict);
}

}  // namespace wiremark::report
