// The result of one run of a tool: a plain struct that every exporter reads.
#include "report/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

ByteSummary summarize_bytes(const Histogram& histogram) {
  return {.looks = histogram.count(),
          .mean = histogram.mean(),
          .p50 = histogram.percentile(50),
          .p99 = histogram.percentile(99),
          .max = histogram.max()};
}

Outcome remade(Outcome outcome) {
  outcome.unsent = outcome.planned - outcome.sent;
  outcome.lost = outcome.sent - outcome.answered;
  return outcome;
}

std::string contradiction(const Verdict& verdict) {
  if (!verdict.figures) return {};
  for (std::size_t i = 0; i < verdict.figures->size(); ++i) {
    for (const std::string& reason : verdict.figures->at(i).reasons) {
      if (std::ranges::find(verdict.reasons, reason) != verdict.reasons.end()) continue;
      return fmt::format("/figures/{}/reasons has '{}', and /reasons has not", i, reason);
    }
  }
  return {};
}

std::string contradiction(const RunResult& result) {
  if (result.verdict && result.role != Role::generator)
    return "/verdict is there, and /role is not generator";
  constexpr double kRoundingS = 1e-6;  // Start and length were rounded each for itself.
  for (std::size_t i = 1; i < result.intervals.size(); ++i) {
    const Interval& before = result.intervals[i - 1];
    const double end = before.start_s + before.seconds;
    if (result.intervals[i].start_s + kRoundingS >= end) continue;
    return fmt::format(
        "/intervals/{}/start_s is {}, and must be at least {}, where the one before it ends", i,
        result.intervals[i].start_s, end);
  }
  return {};
}

CpuShare share_of(const CpuUsage& spent, unsigned threads) {
  return {spent.user_s(), spent.sys_s(), threads};
}

MachineShare share_of(const MachineUsage& spent) {
  return {spent.busy_pct(), spent.softirq_pct(), spent.steal_pct()};
}

Packets operator-(const Packets& later, const Packets& earlier) noexcept {
  return {later.in - earlier.in, later.out - earlier.out, later.data_in - earlier.data_in,
          later.data_out - earlier.data_out};
}

std::uint64_t sum_of(const KindCounts& counts) noexcept {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : counts) sum += count;
  return sum;
}

bool Verdict::valid_for(std::string_view figure) const noexcept {
  if (!figures) return valid();
  const auto found = std::ranges::find(*figures, figure, &FigureVerdict::name);
  return found != figures->end() && found->valid();
}

const std::vector<std::string>& Verdict::reasons_against(std::string_view figure) const noexcept {
  if (!figures) return reasons;
  const auto found = std::ranges::find(*figures, figure, &FigureVerdict::name);
  return found == figures->end() ? reasons : found->reasons;
}

std::vector<std::string> Verdict::valid_figures() const {
  std::vector<std::string> names;
  if (!figures) return names;
  for (const FigureVerdict& figure : *figures) {
    if (figure.valid()) names.push_back(figure.name);
  }
  return names;
}

std::string Verdict::words() const {
  std::string text(level());
  if (level() == "VALID FOR") text += fmt::format(" {}", fmt::join(valid_figures(), ", "));
  return text;
}

std::string_view Verdict::level() const noexcept {
  if (valid()) return "VALID";
  return figures && std::ranges::any_of(*figures, &FigureVerdict::valid) ? "VALID FOR" : "INVALID";
}

const std::string* RunResult::find_option(std::string_view name) const noexcept {
  const auto found = std::ranges::find(config, name, &decltype(config)::value_type::first);
  return found == config.end() ? nullptr : &found->second;
}

std::string RunResult::option(std::string_view name) const {
  const std::string* found = find_option(name);
  return found ? *found : std::string();
}

std::span<const std::string> RunResult::notes() const noexcept {
  const std::size_t reasons = verdict ? verdict->reasons.size() : 0;
  return std::span(warnings).subspan(std::min(reasons, warnings.size()));
}

double CpuShare::pct(double run_seconds) const noexcept {
  const double all_s = seconds.value_or(run_seconds);
  return all_s > 0 ? 100 * total_s() / all_s : 0;
}

double CpuShare::waited_pct(double waited_s, double run_seconds) const noexcept {
  const double all_s = seconds.value_or(run_seconds) * std::max(1U, threads);
  return all_s > 0 ? std::clamp(100 * waited_s / all_s, 0., 100.) : 0;
}

std::optional<double> RunResult::server_pct() const noexcept {
  if (!server_cpu) return std::nullopt;
  return server_cpu->pct(totals.seconds);
}

std::optional<double> RunResult::us_per_message(const CpuShare& share) const noexcept {
  if (totals.messages == 0 || share.total_s() <= 0) return std::nullopt;
  return 1e6 * share.total_s() / static_cast<double>(totals.messages);
}

std::optional<double> RunResult::server_us_cpu_per_message() const noexcept {
  if (!server_cpu) return std::nullopt;
  return us_per_message(*server_cpu);
}

std::string format_moment(std::chrono::system_clock::time_point moment) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::chrono::system_clock::time_point parse_moment(const std::string& text) {
  std::tm utc{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (!end || *end != '\0') return {};
  return std::chrono::system_clock::from_time_t(::timegm(&utc));
}

void add_count(KindCounts& counts, const std::string& kind, std::uint64_t count) {
  const auto known = std::ranges::find(counts, kind, &KindCounts::value_type::first);
  if (known == counts.end()) {
    counts.emplace_back(kind, count);
  } else {
    known->second += count;
  }
}

std::string counts_text(const KindCounts& counts) {
  constexpr std::size_t kTold = 8;
  KindCounts told;
  std::uint64_t others = 0;
  for (const auto& [kind, count] : counts) {
    if (kind == kOtherErrors)
      others += count;
    else if (count > 0)
      told.emplace_back(kind, count);
  }
  if (told.size() > kTold)
    std::ranges::stable_sort(told, std::greater(), &KindCounts::value_type::second);
  for (; told.size() > kTold; told.pop_back()) others += told.back().second;
  std::string text;
  for (const auto& [kind, count] : told)
    text += (text.empty() ? "" : ", ") + kind + " " + format_count(count);
  if (others > 0)
    text += fmt::format("{}{} of other kinds", text.empty() ? "" : " and ", format_count(others));
  return text;
}

}  // namespace wiremark::report
