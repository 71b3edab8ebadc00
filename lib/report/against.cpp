// Results beside earlier ones: what became worse, and how sure that is.
#include "report/against.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <tuple>

#include "measure/conclusion.h"
#include "measure/quantity.h"
#include "report/answers.h"
#include "report/folding.h"
#include "report/same_load.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

struct Figure {
  const char* words;
  std::string_view name;
  FigureOf of;
  bool higher_is_worse;
};
constexpr Figure kServerCost{"server CPU per message", kCost, server_cost_of, true};
constexpr Figure kClientCost{"client CPU per message", kCost, client_cost_of, true};
constexpr Figure kOthers[] = {{"messages/s", kRate, qps_of, false},
                              {"p50", "p50", p50_ns_of, true},
                              {"p99", "p99", p99_ns_of, true}};

double moment_of(const RunResult& run) {
  const auto started = parse_moment(run.started).time_since_epoch();
  return run.measured_from.value_or(std::chrono::duration<double>(started).count());
}

// Whether both sides ran once in each round, before the next round began. Both are sorted.
bool in_turn(const Rounds& before, const Rounds& after) {
  if (before.size() != after.size()) return false;
  for (std::size_t i = 1; i < before.size(); ++i) {
    const double ended = std::max(moment_of(before[i - 1]), moment_of(after[i - 1]));
    if (std::min(moment_of(before[i]), moment_of(after[i])) <= ended) return false;
  }
  return true;
}

std::vector<double> figures_of(const Rounds& rounds, const Figure& figure) {
  std::vector<double> figures;
  for (const RunResult& run : rounds) {
    if (const auto one = figure.of(run)) figures.push_back(*one);
  }
  return figures;
}

Answer judge(const MedianInterval& ratio, double tolerance_pct, bool higher_is_worse) {
  const double most = 1 + tolerance_pct / 100;
  const Side of_most = side_of(ratio, most);
  const Side of_least = side_of(ratio, 1 / most);
  if (of_most == Side::above) return higher_is_worse ? Answer::slower : Answer::faster;
  if (of_least == Side::below) return higher_is_worse ? Answer::faster : Answer::slower;
  return of_most == Side::below && of_least == Side::above ? Answer::level : Answer::undecided;
}

Moved moved(const Rounds& before, const Rounds& after, bool paired, const Figure& figure,
            const std::string& whose, double tolerance_pct) {
  Moved moved{.what = whose + figure.words, .ratio = {}, .higher_is_worse = figure.higher_is_worse};
  // Where a round has no cost the others tell. A percentile that it never reached is worse than any
  // of theirs, and nothing tells by how much.
  if (figure.name == kCost || (spread_of(before, figure.of) && spread_of(after, figure.of)))
    moved.ratio = paired ? interval_of(after, before, figure.of)
                         : unpaired_ratio(figures_of(after, figure), figures_of(before, figure));
  moved.doubted = !stands(before, figure.name) || !stands(after, figure.name);
  if (moved.ratio && !moved.doubted)
    moved.answer = judge(*moved.ratio, tolerance_pct, figure.higher_is_worse);
  return moved;
}

Share errors_of(const RunResult& run) {
  const std::uint64_t errors = run.totals.errors_sum();
  const std::uint64_t messages = run.outcome ? run.outcome->planned : run.totals.messages;
  return {errors, std::max(messages, errors)};  // A connection can fail without a message.
}

Share lost_or_unsent_of(const RunResult& run) {
  if (!run.outcome) return {};
  return {run.outcome->planned - run.outcome->answered, run.outcome->planned};
}

Share total_of(const std::vector<Share>& shares) {
  Share sum;
  for (const Share& share : shares) sum = {sum.count + share.count, sum.of + share.of};
  return sum;
}

// The square of the standard error of the mean share of a round.
double error_squared(const std::vector<Share>& shares) {
  const auto rounds = static_cast<double>(shares.size());
  if (rounds < 2) return 0;
  double sum = 0, squares = 0;
  for (const Share& share : shares) sum += share.share();
  for (const Share& share : shares) squares += std::pow(share.share() - sum / rounds, 2);
  return squares / (rounds - 1) / rounds;
}

// Failures come together, as when a server restarts once. How they differ from round to round tells
// how much of that was luck. With too few rounds to tell, they are held against a hundredth more.
Failures failures(const Rounds& before, const Rounds& after, Share (*of)(const RunResult&),
                  std::string what) {
  constexpr double kMarginOfFewRounds = 0.01;
  std::vector<Share> shares[2];
  std::ranges::transform(before, std::back_inserter(shares[0]), of);
  std::ranges::transform(after, std::back_inserter(shares[1]), of);
  Failures failures{
      .what = std::move(what), .before = total_of(shares[0]), .after = total_of(shares[1])};
  const double chance =
      std::max(chance_between(failures.before, failures.after),
               kDeviations * std::sqrt(error_squared(shares[0]) + error_squared(shares[1])));
  const bool few = std::min(before.size(), after.size()) < kPairedRoundsMin;
  const double more = failures.after.share() - failures.before.share();
  if (std::abs(more) > chance + (few ? kMarginOfFewRounds : 0))
    failures.answer = more > 0 ? Answer::slower : Answer::faster;
  return failures;
}

std::string unlike_of(const RunResult& before, const RunResult& after) {
  const auto unlike =
      unlike_answers(before.answers.value_or(KindCounts()), after.answers.value_or(KindCounts()));
  if (!unlike) return {};
  return fmt::format("{} was {} of the answers and is {}", unlike->kind,
                     format_share(unlike->one_pct), format_share(unlike->other_pct));
}

Result<> add(Against& study, const std::string& whose, Rounds before, Rounds after) {
  std::string unlike;
  for (const Rounds* side : {&before, &after}) {
    for (const RunResult& run : *side) {
      if (std::string why = difference(before.front(), run); !why.empty())
        return failed(whose + why, {}, 0);
      if (unlike.empty()) unlike = unlike_of(before.front(), run);
    }
  }
  bool explained = unlike.empty();
  for (const Failures& one :
       {failures(before, after, errors_of, whose + "errors"),
        failures(before, after, lost_or_unsent_of, whose + "messages lost or unsent")}) {
    explained |= one.answer != Answer::undecided;
    if (one.before.count + one.after.count > 0) study.failures.push_back(one);
  }
  if (!explained) return failed(whose + unlike, {}, 0);
  if (study.unlike.empty()) study.unlike = unlike.empty() ? unlike : whose + unlike;
  std::ranges::sort(before, {}, moment_of);
  std::ranges::sort(after, {}, moment_of);
  study.paired = in_turn(before, after);
  const auto compare = [&](const Figure& figure) {
    Moved one = moved(before, after, study.paired, figure, whose, study.tolerance_pct);
    if (!unlike.empty()) one.doubted = true, one.answer = Answer::undecided;
    return one;
  };
  const Moved cost = compare(kServerCost);
  study.figures.push_back(cost.ratio ? cost : compare(kClientCost));
  for (const Figure& figure : kOthers) study.figures.push_back(compare(figure));
  return {};
}

std::string word_of(Answer answer) {
  if (answer == Answer::slower) return "worse";
  if (answer == Answer::faster) return "better";
  return answer == Answer::level ? "level" : "undecided";
}

std::string in_words(const Share& failed) {
  return fmt::format("{} ({})", format_count(failed.count), format_share(100 * failed.share()));
}

// The rounds after which the first figure that is undecided might be known.
std::string what_it_takes(const Against& study, const Moved& moved) {
  if (moved.doubted && !study.unlike.empty()) return "the answers are not the same";
  if (moved.doubted && !study.failures.empty()) return "runs in which nothing fails might";
  if (moved.doubted) return "a quieter machine or another load might";
  if (!moved.ratio) return "rounds with messages on both sides might";
  const double most = 1 + study.tolerance_pct / 100;
  const bool over = moved.ratio->median > 1;
  const std::size_t rounds = rounds_that_might(
      *moved.ratio, over ? most : 1 / most, study.paired ? kPairedRoundsMin : kUnpairedRoundsMin);
  return rounds > 0 ? fmt::format("{} rounds might", rounds)
                    : fmt::format("not even {} rounds might", kRoundsWorthMax);
}

std::string conclusion_of(const Against& study) {
  const auto first = [&](Answer answer) {
    return std::ranges::find(study.figures, answer, &Moved::answer);
  };
  const auto sentence = [](const char* word, const Moved& moved) {
    return fmt::format("{}: {} is {} of what it was", word, moved.what, in_words(*moved.ratio));
  };
  const auto failed = std::ranges::find(study.failures, Answer::slower, &Failures::answer);
  if (failed != study.failures.end())
    return fmt::format("worse: {} come to {} of all messages and came to {}", failed->what,
                       format_share(100 * failed->after.share()),
                       format_share(100 * failed->before.share()));
  const auto none = study.figures.end();
  if (const auto worse = first(Answer::slower); worse != none)
    return sentence("worse", *worse) +
           fmt::format(", beyond the tolerance of {:g} %", study.tolerance_pct);
  if (const auto unknown = first(Answer::undecided); unknown != none)
    return fmt::format("cannot tell: {} {}; {}", unknown->what,
                       unknown->ratio ? in_words(*unknown->ratio) : "n/a",
                       what_it_takes(study, *unknown));
  if (const auto better = first(Answer::faster); better != none)
    return sentence("better", *better) + ", and nothing is worse";
  return sentence("level", study.figures.front()) +
         fmt::format(", and all is within the tolerance of {:g} %", study.tolerance_pct);
}

}  // namespace

bool Against::worse() const {
  return std::ranges::find(figures, Answer::slower, &Moved::answer) != figures.end() ||
         std::ranges::find(failures, Answer::slower, &Failures::answer) != failures.end();
}

std::string difference(const RunResult& before, const RunResult& after) {
  const auto differ = [](std::string_view what, const std::string& then, const std::string& now) {
    if (then == now) return std::string();
    return fmt::format("{} was '{}' and is '{}'", what, then, now);
  };
  const auto& [was, is] = std::tie(before.host, after.host);
  const auto built = [](const Machine& host) {
    return host.compiler + (host.build ? " " + build_flags(*host.build) : "");
  };
  const std::string checks[] = {
      differ("the tool", before.tool, after.tool),
      differ("the machine's processor", was.cpu, is.cpu),
      differ("the machine's architecture", was.architecture, is.architecture),
      differ("the machine's number of processors", std::to_string(was.cores_allowed),
             std::to_string(is.cores_allowed)),
      differ("the machine's hypervisor", was.hypervisor, is.hypervisor),
      differ("the machine's kernel", was.kernel, is.kernel),
      differ("the build", built(was), built(is)),
      differ("the backend", before.path.active, after.path.active)};
  for (const std::string& check : checks) {
    if (!check.empty()) return check;
  }
  // Where the server listens, and what its requests call it.
  constexpr std::string_view kOfTheTarget[] = {"target", "host"};
  const auto option = other_option(before, after, kOfTheTarget);
  return option ? differ("the option " + option->name, option->one, option->other) : std::string();
}

Result<Against> against(const Rounds& before, const Rounds& after, double tolerance_pct) {
  Against study{
      .tolerance_pct = tolerance_pct, .paired = false, .figures = {}, .failures = {}, .unlike = {}};
  if (auto added = add(study, "", before, after); !added) return std::unexpected(added.error());
  return study;
}

Result<Against> against(const Comparison& before, const Comparison& after, double tolerance_pct) {
  const auto names = [](const Comparison& study) {
    std::string text;
    for (const Compared& one : study.backends) text += (text.empty() ? "" : ",") + one.backend;
    return text;
  };
  for (const auto& [which, study] : {std::pair("earlier", &before), std::pair("later", &after)}) {
    if (study->failed)
      return failed(
          fmt::format("the {} comparison is not whole: {}", which, in_words(*study->failed)), {},
          0);
  }
  if (names(before) != names(after))
    return failed(
        fmt::format("the backends compared were '{}' and are '{}'", names(before), names(after)),
        {}, 0);
  Against study{
      .tolerance_pct = tolerance_pct, .paired = false, .figures = {}, .failures = {}, .unlike = {}};
  for (std::size_t i = 0; i < before.backends.size(); ++i) {
    const auto& [then, now] = std::tie(before.backends[i], after.backends[i]);
    if (auto added = add(study, then.backend + ": ", then.rounds, now.rounds); !added)
      return std::unexpected(added.error());
  }
  return study;
}

std::string text_report(const Against& study) {
  std::string text =
      fmt::format("now / then, {}, tolerance {:g} %: interval, its confidence, rounds\n",
                  study.paired ? "round by round" : "each by itself", study.tolerance_pct);
  for (const Moved& moved : study.figures) {
    const auto& ratio = moved.ratio;
    const std::string figures =
        ratio ? fmt::format("{:.2f} ({:.2f} to {:.2f}) {:.1f} %, {}", ratio->median, ratio->lower,
                            ratio->upper, 100 * ratio->confidence, ratio->rounds)
              : "n/a";
    text += fmt::format("  {:<9} {:<30} {}{}\n", word_of(moved.answer), moved.what, figures,
                        moved.doubted ? "?" : "");
  }
  if (text.find('?') != std::string::npos) {
    text += folded("  ?         behind a figure: " +
                       (study.unlike.empty() ? "its runs are not to be trusted for it"
                                             : "its answers are not the same: " + study.unlike) +
                       "\n",
                   12);
  }
  for (const Failures& one : study.failures) {
    text += fmt::format("  {:<9} {:<30} {}, {} then\n", word_of(one.answer), one.what,
                        in_words(one.after), in_words(one.before));
  }
  return text + folded("conclusion  " + conclusion_of(study) + "\n", 12);
}

}  // namespace wiremark::report
